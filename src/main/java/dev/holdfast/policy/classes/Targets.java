package dev.holdfast.policy.classes;

import dev.holdfast.shell.program.Runner;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which words of a command say what it writes to, or where it deletes. */
public final class Targets {
    /** Of {@code find}, what makes it find less than all. */
    private static final Pattern TEST = Pattern.compile(
            "-(i?name|i?path|i?wholename|i?regex|i?lname|user|group|uid|gid|nouser|nogroup|perm|size|empty|[acm](time|min)"
                    + "|[ac]?newer|newer[aBcm][aBcmt]|inum|samefile|links|fstype)");

    /** Of {@code sgdisk}, all that only reads; a last group is a file for the table. */
    private static final Pattern TELLS =
            Pattern.compile("-[pv]+|-i[0-9]*|--(?:print|verify|info(?:=[0-9]*)?)|-b.*|--backup(?:=.*)?");

    private static final Pattern SAVED = Pattern.compile("(?s)(?:-b|--backup(?:=|$))(.*)");
    private static final Pattern LISTED = Pattern.compile("(?s)-[a-zA-Z]*?o(.*)");
    private static final Pattern CREATES = Pattern.compile("(?s)-[a-zA-Z]*[cruA].*");
    private static final Pattern CREATES_FIRST = Pattern.compile("(?s)-?[a-zA-Z]*[cru].*");

    private Targets() {}

    /** What may be a file that it writes. */
    public static Stream<Word> written(List<Word> words) {
        return switch (words.getFirst().name()) {
            case "dd", "dcfldd" ->
                words.stream().filter(word -> word.text().startsWith("of=")).map(word -> word.from(3));
            case "tee", "shred", "blkdiscard", "truncate", "sponge", "curl", "wget" -> all(words);
            case "wipefs" ->
                hasOption(words, 'a', "--all") || hasOption(words, 'o', "--offset") ? all(words) : Stream.empty();
            case "badblocks" -> onlyReadsBlocks(words) ? given(words, LISTED) : all(words);
            case "sgdisk" -> onlyTells(words) ? given(words, SAVED) : all(words);
            case "tar" -> creates(words) ? all(words) : Stream.empty();
            case "cp", "mv", "install" -> withLast(words, last(operands(words)));
            case "ddrescue" -> {
                List<Word> operands = operands(words);
                yield withLast(words, operands.subList(Math.min(1, operands.size()), Math.min(2, operands.size())));
            }
            case "rsync" -> withLast(words, ofRsync(words));
            default -> Stream.empty();
        };
    }

    private static Stream<Word> all(List<Word> words) {
        return words.stream().skip(1).map(Targets::value);
    }

    private static Stream<Word> withLast(List<Word> words, List<Word> targets) {
        return Stream.concat(Stream.of(words.getLast()), targets.stream());
    }

    private static List<Word> last(List<Word> words) {
        return words.subList(Math.max(0, words.size() - 1), words.size());
    }

    /** Of an option with its value at it that value: {@code -o/dev/sda}. */
    private static Word value(Word option) {
        int path = option.text().indexOf('/');
        return option.text().startsWith("-") && path > 0 ? option.from(path) : option;
    }

    private static Stream<Word> given(List<Word> words, Pattern option) {
        return Runner.behind(option, words.subList(1, words.size())).stream();
    }

    /** Neither {@code -w} nor {@code -n}; what is not known may be one of these. */
    private static boolean onlyReadsBlocks(List<Word> words) {
        return words.stream().allMatch(Word::known) && !hasOption(words, 'w', "") && !hasOption(words, 'n', "");
    }

    private static boolean onlyTells(List<Word> words) {
        List<Word> options =
                words.stream().filter(word -> word.text().startsWith("-")).toList();
        return !options.isEmpty()
                && words.stream().allMatch(Word::known)
                && options.stream()
                        .allMatch(option -> TELLS.matcher(option.text()).matches());
    }

    /** Whether {@code tar} writes an archive. */
    private static boolean creates(List<Word> tar) {
        return (tar.size() > 1 && CREATES_FIRST.matcher(tar.get(1).text()).matches())
                || tar.stream()
                        .skip(1)
                        .anyMatch(word -> CREATES.matcher(word.text()).matches())
                || Stream.of("--create", "--append", "--update", "--concatenate", "--catenate")
                        .anyMatch(name -> hasOption(tar, '\0', name));
    }

    /** Also among other letters, and a long one cut short as getopt takes it. */
    public static boolean hasOption(List<Word> words, char letter, String name) {
        for (Word word : words.subList(1, words.size())) {
            String text = word.text();
            if (text.equals("--")) {
                return false;
            }
            int equals = text.indexOf('=');
            boolean is = text.startsWith("--")
                    ? name.startsWith(equals < 0 ? text : text.substring(0, equals))
                    : text.startsWith("-") && text.indexOf(letter) > 0;
            if (is) {
                return true;
            }
        }
        return false;
    }

    private static List<Word> operands(List<Word> words) {
        return places(words).mapToObj(words::get).toList();
    }

    /** Of what is neither an option nor the value of one. */
    private static IntStream places(List<Word> words) {
        int end = IntStream.range(1, words.size())
                .filter(i -> words.get(i).text().equals("--"))
                .findFirst()
                .orElse(words.size());
        return IntStream.range(1, words.size())
                .filter(i -> i > end || !(words.get(i).text().startsWith("-") || Classes.TABLE.isValue(words, i)));
    }

    /**
     * What {@code rsync} writes to: its last operand, and never its first. What is not known, or stands behind an
     * option, may be none: then the one before counts too.
     */
    public static List<Word> ofRsync(List<Word> rsync) {
        int[] operands = places(rsync).toArray();
        List<Word> targets = new ArrayList<>();
        for (int i = operands.length - 1; i > 0; i--) {
            Word operand = rsync.get(operands[i]);
            targets.add(operand);
            if (operand.known() && !rsync.get(operands[i] - 1).text().startsWith("-")) {
                break;
            }
        }
        return targets;
    }

    /** Where {@code find} begins. */
    public static List<Word> starts(List<Word> find) {
        List<Word> starts = find.stream()
                .skip(1)
                .dropWhile(word -> word.text().matches("-[HLPDO].*"))
                .takeWhile(word -> !word.text().matches("[-(!].*"))
                .toList();
        return starts.isEmpty() ? List.of(Word.of(".")) : starts;
    }

    public static boolean narrows(List<Word> find) {
        for (int i = 1; i < find.size(); i++) {
            String next = i + 1 < find.size() ? find.get(i + 1).text() : "";
            boolean all = next.matches("[*]+|[.][*]|/[*]");
            boolean negated = find.get(i - 1).text().matches("!|-not");
            boolean broken = find.get(i).text().equals("-xtype") && next.equals("l");
            if (!all && !negated && (broken || TEST.matcher(find.get(i).text()).matches())) {
                return true;
            }
        }
        return false;
    }
}
