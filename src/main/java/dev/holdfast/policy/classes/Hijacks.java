package dev.holdfast.policy.classes;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Variables that change which program runs, or what it runs besides, and what sets them. */
public final class Hijacks {
    private static final Set<String> NAMES = Set.of(
            ("HOME XDG_CONFIG_HOME PATH ENV IFS PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND ZDOTDIR NULLCMD READNULLCMD GIT_SSH "
                            + "GIT_SSH_COMMAND GIT_ALLOW_PROTOCOL GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND "
                            + "GIT_TEMPLATE_DIR SVN_SSH RSYNC_RSH VISUAL LESS LESSOPEN LESSCLOSE MANLESS MANOPT SYSTEMD_LESS "
                            + "SYSTEMD_PAGERSECURE BAT_OPTS BAT_CONFIG_PATH BAT_CONFIG_DIR ACKRC RIPGREP_CONFIG_PATH PYTHONPATH "
                            + "PYTHONHOME PYTHONSTARTUP PIP_PYTHON PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYLIB RUBYOPT NODE_OPTIONS "
                            + "NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS RUSTC_WRAPPER KUBECTL_EXTERNAL_DIFF "
                            + "MAKEFLAGS GNUMAKEFLAGS TAR_OPTIONS GCONV_PATH DBUS_SYSTEM_BUS_ADDRESS DBUS_SESSION_BUS_ADDRESS "
                            // Of zsh: what a name is called by.
                            + "functions aliases galiases saliases commands")
                    .split(" ", -1));

    /** What ends so names a program, whoever runs it: {@code GH_PAGER}. */
    private static final Pattern PROGRAMS = Pattern.compile(".*(?:PAGER|EDITOR|BROWSER|ASKPASS)");

    /** {@code GIT_TRACE} may name a file, which git then makes; {@code BASH_CMDS} says where a program is. */
    private static final Pattern FAMILIES = Pattern.compile("(?:LD_|DYLD_|GIT_CONFIG|GIT_TRACE|BASH_|LESSKEY).*"
            + "|(?i:p?npm_config_(?:(?:script[_-])?shell|node[_-]options|git|python|node[_-]gyp|editor|viewer|browser"
            + "|(?:user|global)config|prefix))");

    /** {@code ${NAME:=value}}, which may stand in any word, in what is read, and in a file's name. */
    private static final Pattern ASSIGNING = Pattern.compile("\\$\\{(\\w+)(?:\\[[^]]{0,99}])?::?=|\\$\\{(\\w+)=");

    /** They set what is named with a value. */
    private static final Set<String> DECLARING = Set.of("export", "declare", "typeset", "readonly", "local");
    /** They set what is named. */
    private static final Set<String> READING = Set.of("read", "mapfile", "readarray", "getopts");

    /** Options of theirs whose value is the next word. */
    private static final Pattern READ_VALUE = Pattern.compile("-[A-Za-z]*[CcdiNnOpstu]");

    /** A name, or a part of one. */
    private static final Pattern EXPANDED = Pattern.compile("^[^=\\[]*[$`]");

    /** It gives another one a name: what is then assigned to that one is assigned to it. */
    private static final Pattern NAMEREF = Pattern.compile("-[A-Za-z]*n[A-Za-z]*");

    /** A pager or an editor that is one of these runs nothing else. */
    private static final Set<String> TAME = Set.of("", "cat", "true", ":");

    /** Of {@code IFS}: then words are parted where they always are, or at some of these places. */
    private static final Pattern BLANK = Pattern.compile("[ \\t\\n]+");

    private static final Pattern BEHIND_NAME = Pattern.compile("[+=\\[].*", Pattern.DOTALL);

    private Hijacks() {}

    /** Whether a command sets one, in front of it or by its words. */
    static boolean setsOne(SimpleCommand command) {
        List<Word> words = command.words();
        String program = words.getFirst().text();
        return command.assignments().stream()
                        .anyMatch(one -> isOne(one)
                                && !(READING.contains(program) && one.name().equals("IFS")))
                || (DECLARING.contains(program) && declares(program, words))
                || (READING.contains(program)
                        && IntStream.range(1, words.size()).anyMatch(at -> reads(words, at)))
                || (program.equals("printf") && words.size() > 1 && prints(words));
    }

    /** Whether one is set by a command, for it, or in its words. */
    public static boolean areSetFor(SimpleCommand command) {
        return setsOne(command)
                || isOne(command.words().getFirst())
                || command.words().stream().anyMatch(word -> expandsToOne(word.text()))
                || command.behind().stream().flatMap(List::stream).anyMatch(Hijacks::isNamed);
    }

    private static boolean declares(String program, List<Word> words) {
        boolean refers = !program.equals("export")
                && words.stream().anyMatch(word -> NAMEREF.matcher(word.text()).matches());
        return refers || words.stream().anyMatch(word -> isOne(word) || mayBeAny(word));
    }

    private static boolean reads(List<Word> words, int at) {
        boolean value = READ_VALUE.matcher(words.get(at - 1).text()).matches();
        return names(words.get(at).text()) || (mayBeAny(words.get(at)) && !value);
    }

    private static boolean prints(List<Word> words) {
        Word option = words.get(1);
        boolean apart = option.text().equals("-v") && words.size() > 2;
        Word to = apart ? words.get(2) : option.text().startsWith("-v") ? option.from(2) : Word.of("");
        return names(to.text()) || mayBeAny(to);
    }

    /** Whether only running tells the name: {@code "$1"}, {@code $(cat .env)}; not {@code A=$b}. */
    private static boolean mayBeAny(Word word) {
        return !word.known() && EXPANDED.matcher(word.text()).find();
    }

    /** {@code NAME=value}. */
    public static boolean isOne(Word word) {
        int equals = word.text().indexOf('=');
        return equals > 0 && (isNamed(word) || isCode(word.from(equals + 1)));
    }

    /** {@code NAME=value}, of any value but a tame one. */
    public static boolean isNamed(Word word) {
        int equals = word.text().indexOf('=');
        String name = equals > 0 ? word.text().substring(0, equals) : "";
        return names(name) && !isTame(name, word.from(equals + 1));
    }

    public static boolean isOne(Assignment assignment) {
        return (names(assignment.name()) && !isTame(assignment.name(), assignment.value()))
                || isCode(assignment.value());
    }

    private static boolean isTame(String variable, Word value) {
        boolean shows = variable.endsWith("PAGER") || variable.endsWith("EDITOR");
        boolean parts = variable.equals("IFS") && BLANK.matcher(value.text()).matches();
        return value.known() && (parts || (shows && TAME.contains(value.text())));
    }

    /** Data to the shell until a prompt or arithmetic expands it once more: then what is in it runs. */
    public static boolean isCode(Word value) {
        return value.known() ? value.text().contains("$(") || value.text().indexOf('`') >= 0 : isPrompt(value);
    }

    /** Whether it expands the value of a variable, as a prompt is: {@code ${x@P}}. */
    static boolean isPrompt(Word word) {
        return !word.known() && word.text().contains("@P}");
    }

    public static boolean names(String variable) {
        String name = BEHIND_NAME.matcher(variable).replaceFirst("");
        return NAMES.contains(name)
                || PROGRAMS.matcher(name).matches()
                || FAMILIES.matcher(name).matches();
    }

    /** Whether an expansion somewhere in a text sets one. */
    public static boolean expandsToOne(String text) {
        return ASSIGNING
                .matcher(text)
                .results()
                .anyMatch(found -> names(Objects.requireNonNullElse(found.group(1), found.group(2))));
    }
}
