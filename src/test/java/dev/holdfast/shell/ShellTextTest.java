package dev.holdfast.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.word.Word;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What shell text runs, as bash reads it. */
class ShellTextTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("HOME", "/home/u");

    /** Commands with {@code ;} between them, words with one blank; what cannot be known is as it was written. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '\u0001',
            value = {
                "ls -la => ls -la",
                "a; b && c || d | e & f => a ; b ; c ; d ; e ; f",
                "(a; { b; }); ! c => a ; b ; c",
                "if a; then b; elif c; then d; else e; fi => a ; b ; c ; d ; e",
                "while read l; do echo $l; done < f => read l ; echo $l",
                "case $x in a|b) c;; *) d;; esac => c ; d",
                "[ -f a ] && [[ -d b ]] && c => c",
                "for i in / /etc; do rm -rf $i; done => rm -rf / ; rm -rf /etc",
                "rm a\\ b'c d'\"e $HOME\"$'\\x2fn' => rm a bc de /home/u/n",
                "'r'\"m\" x; r\\m y; $'\\x72m' z => rm x ; rm y ; rm z",
                "rm {/bin,/etc}/x{1,2} => rm /bin/x1 /bin/x2 /etc/x1 /etc/x2",
                "echo '{a,b}' \"{a,b}\" {a} => echo {a,b} {a,b} {a}",
                "rm ~/x ~ '~' a~ => rm /home/u/x /home/u ~ a~",
                "d=/; rm -rf $d \"$d\"x ${d}y => rm -rf / /x /y",
                "o='-r -f'; rm $o / => rm -r -f /",
                "d=/; d=/tmp; rm $d => rm $d ; rm /tmp",
                "d=$(pwd); rm $d => pwd ; rm $d",
                "rm > /dev/null -rf / 2>&1 => rm -rf /",
                "A=1 B=2 make x => make x",
                "export A=$(id) => id ; export A=$(id)",
                "echo $(a $(b)) `c` <(d) $((1 + $(e))) ${x:-$(f)} => b ; a $(b) ; c ; d ; e ; f ; echo $(a $(b)) `c` <(d) $((1 + $(e))) ${x:-$(f)}",
                "f() { rm x; }; f => rm x ; f",
                "time -p ls; coproc ls => ls ; ls",
                "sudo -u bob -n -- rm x => rm x",
                "sudo A=b env -i -u E C=d timeout -s KILL 5 nice -n 3 nohup setsid rm x => rm x",
                "sudo -l; env; command -v rm; nohup => sudo -l ; env ; command -v rm ; nohup",
                "command rm x; exec -a y rm z; stdbuf -oL make => rm x ; rm z ; make",
                "xargs -0 -I{} -n 1 rm -f {} => rm -f {}",
                "find . -name '*.o' -exec rm {} \\; -execdir ls {} + => find . -name *.o -exec rm {} ; -execdir ls {} + ; rm {} ; ls {}",
                "bash -c 'a; b' => a ; b ; bash -c a; b",
                "sh -euxc \"rm \\\"a b\\\"\" x => rm a b ; sh -euxc rm \"a b\" x",
                "su - bob -c 'rm x' => su - bob -c rm x ; rm x",
                "trap 'rm x' EXIT; alias l='rm y' => trap rm x EXIT ; rm x ; alias l=rm y ; rm y",
                "eval rm 'x y' => eval rm x y ; rm x y",
                "bash <<< 'rm x' => rm x ; bash",
                "ls # rm x => ls",
                "time { a; } | b; time -p (c); ! { d; }; coproc N { e; }; time ! f => a ; b ; c ; d ; e ; f",
                "if time (a); then ! { b; }; fi => a ; b",
                "echo time { a => echo time { a",
                "${X:-`a`} ${X#$(b)} \"${X:+`c`}\" \"${X:-'$(d)'}\" ${X:-<(e)} => a ; b ; c ; d ; e ; ${X:-`a`} ${X#$(b)} ${X:+`c`} ${X:-'$(d)'} ${X:-<(e)}",
                "x[$(a)]=1; y=`b \\`c\\`` => a ; c ; b `c`",
                "$\"rm\" x => rm x",
                "bash -euo pipefail -c 'a' -O => a ; bash -euo pipefail -c a -O",
                "watch -n 1 'a b' => watch -n 1 a b ; a b",
                "env -vS 'a b' => a b",
                "env -u U -S \"X=1 a 'b c'\" d; sudo env -S 'a b' c; env a -S b => a b c d ; a b c ; a -S b",
                "echo 'a  b' | xargs -I% c x%y; echo a b | xargs -i c {} => echo a  b ; c xa  by ; echo a b ; c a b",
                "printf 'a\\tb\\0c\\x64' | xargs -0 e; (a) <<< 'b'; { bash; } <<< 'b c'; bash 0<<< d => "
                        + "printf a\\tb\\0c\\x64 ; e a b cd ; a ; b c ; bash ; d ; bash",
                "a$\"b\" $\"c $(d)\" $$\"e\" \"f$\" => d ; ab c $(d) $$e f$",
                "alias r='rm -f'; r x => alias r=rm -f ; rm -f ; rm -f x",
                "xargs -l a; xargs -i b {}; xargs --max-lines c => a ; b {} ; c",
                "printf '%s\\n' 'a b' | xargs c => printf %s\\n a b ; c a b",
                "echo 'äö😀' \u00a0 ü | rm é => echo äö😀 \u00a0 ü ; rm é",
            })
    void commandsAreThoseThatBashWouldRun(String text, String commands) {
        Script script = read(text);
        assertThat(words(script)).isEqualTo(commands);
        assertThat(script.understood()).isTrue();
    }

    @Test
    void hereDocumentsAreInputAndNoCommands() {
        String text = "cat <<'A' > x 2>&1 | tee y && python3 - <<-B\nrm -rf /\nA\n\timport os\n\tB\nls";
        Script script = read(text);

        assertThat(words(script)).isEqualTo("cat ; tee y ; python3 - ; ls");
        assertThat(script.understood()).isTrue();
        assertThat(script.hereDocuments())
                .extracting(body -> text.substring(body.start(), body.end()).strip())
                .containsExactly("rm -rf /\nA", "import os\n\tB");
    }

    @Test
    void aHereDocumentOfAShellIsRead() {
        assertThat(words(read("bash -s <<EOF\nrm x; ls\nEOF"))).isEqualTo("rm x ; ls ; bash -s");
        assertThat(words(read("cat <<EOF\n$(rm x)\nEOF"))).isEqualTo("rm x ; cat");
        assertThat(words(read("cat <<'EOF'\n$(rm x)\nEOF"))).isEqualTo("cat");
    }

    /** As bash reads them: what follows the operator on its line, and what is substituted in the body. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '\u0001',
            value = {
                "cat <<E; a\\nx\\nE => cat ; a",
                "cat <<E&& a\\nx\\nE => cat ; a",
                "cat <<E|a\\nx\\nE => cat ; a",
                "cat <<E&\\nx\\nE\\na => cat ; a",
                "cat <<E>f; a\\nx\\nE => cat ; a",
                "(cat <<E)\\nx\\nE\\na => cat ; a",
                "cat <<'E F'; a\\nx\\nE F\\nb => cat ; a ; b",
                "cat <<E <<F\\nx\\nE\\ny\\nF\\na => cat ; a",
                "cat <<E\\n`a` $(b) \\$(c) ${X:-`d`}\\nE => a ; b ; d ; cat",
                "cat <<-E\\n\\t$(a)\\n\\tE\\nb => a ; cat ; b",
                "cat <<E\\n$(cat <<F\\n$(a)\\nF\\n)\\nE => a ; cat ; cat",
                "cat <<'E'\\n$(a)\\nE \\nE\\nb => cat ; b",
                "cat 0<<E\\nx\\nE => cat",
                "r\\\\nm x => rm x",
                "echo $((1<<2)); ((x = 1 <<3)); a => echo $((1<<2)) ; a",
                "echo '<<E' \"<<E\" # <<E\\na => echo <<E <<E ; a",
            })
    void hereDocumentsAreWhereBashHasThem(String text, String commands) {
        Script script = read(text.replace("\\n", "\n").replace("\\t", "\t"));
        assertThat(words(script)).isEqualTo(commands);
        assertThat(script.understood()).isTrue();
    }

    @Test
    void whereShellsDifferNothingIsLeftOut() {
        Script script = read("x=$(cat <<E)\na\nE\nb");
        assertThat(words(script)).contains("a").contains("b");
        assertThat(script.understood()).isFalse();
    }

    /** What no tree shows is looked for in the words. */
    @ParameterizedTest
    @ValueSource(strings = {"for x in a; { rm -rf /; }", "echo ok; rm -rf / ; fi", "rm -rf / ) y", "if rm -rf /"})
    void wordsOfWhatFollowsNoGrammarAreListed(String text) {
        assertThat(words(read(text))).contains("rm -rf /");
    }

    /** However long it takes, and whatever else the machine does: that is said. */
    @ParameterizedTest
    @CsvSource({"ls;, 40000", "'nohup ', 9000", "'sudo ', 5000", "(, 210", "echo $(, 300"})
    void whatIsTooMuchIsNotRead(String piece, int times) {
        Script script = read(piece.repeat(times) + "rm -rf /" + ")".repeat(piece.contains("(") ? times : 0));
        assertThat(script.unread()).isTrue();
        assertThat(script.understood()).isFalse();
    }

    @Test
    void whatIsLongIsRead() {
        assertThat(words(read("cat > f <<'E'\n" + "a b c\n".repeat(16_000) + "E\nrm -rf /")))
                .isEqualTo("cat ; rm -rf /");
        assertThat(words(read("cat <<E\nx\nE\n".repeat(130) + "rm -rf /"))).endsWith("rm -rf /");
        assertThat(words(read("cat <<" + "E".repeat(2000) + "\nx\n" + "E".repeat(2000) + "\nrm -rf /")))
                .endsWith("rm -rf /");
        Script arguments = ShellText.read(Collections.nCopies(9000, "nohup"), ENVIRONMENT);
        assertThat(arguments.unread()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$X -rf /",
                "$(echo rm) x",
                "eval \"$x\"",
                "eval ls",
                "echo x | sh",
                "curl x | sudo bash -s -- y",
                "bash -c \"$x\"",
                "cat <<EOF | bash\nls\nEOF",
                "bash <<EOF\n$x\nEOF",
                "bash",
            })
    void whatCannotBeKnownIsSaid(String text) {
        assertThat(read(text).commands()).extracting(SimpleCommand::runs).contains(Runs.UNKNOWN_TEXT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "curl a | tee x | sudo sh",
                "bash -c \"$(curl a)\"",
                "sh <(curl a)",
                "source <(curl a)",
                "eval \"$(curl a)\"",
                "python3 -c \"$(curl a)\"",
                "{ curl a; } | (cd x && sh)",
                "curl a | tee >(sh)",
                "curl a > >(sh)",
            })
    void whoseOutputACommandGetsIsKnown(String text) {
        SimpleCommand last = read(text).commands().getLast();
        assertThat(last.sources())
                .anyMatch(source -> source.words().getFirst().text().equals("curl"));
    }

    @Test
    void aDirectoryFollowsCd() {
        Script script = read("a; cd /x && b; (cd y; c); d; cd z | e; cd $Q; f; cd; g");
        assertThat(script.commands().stream()
                        .filter(command -> command.words().getFirst().text().length() == 1)
                        .map(command -> command.words().getFirst() + ":" + command.directory()))
                .containsExactly("a:", "b:/x", "c:/x/y", "d:/x", "e:/x", "f:null", "g:/home/u");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '\u0001',
            value = {
                "builtin cd /x; a => a:/x",
                "command -p cd /x; a; (command cd y); b => a:/x b:/x",
                "time cd /x; a => a:/x",
                "env cd /x; a => a:",
                "eval cd /x; a; eval 'cd y'; b => a:/x b:/x/y",
                "source /dev/stdin <<< 'cd /x'; a => a:/x",
                "bash -c 'cd /x'; a => a:",
                "f() { cd /x; }; a; f; b; (f; c); d => a: b:/x c:/x d:/x",
                "f() { cd /x; }; f \"$1\"; a => a:/x",
                "f() (cd /x); f; a => a:",
                "cd /x; f() { cd $Q; }; f; a; f y; b => a:/x b:null",
                "pushd /x; a; pushd y; b; popd; c; popd; d; popd; e => a:/x b:/x/y c:/x d: e:",
                "pushd /x; pushd /y; pushd; a; popd; b => a:/x b:/y",
                "pushd /x; cd y; popd; a => a:",
                "(pushd /x; a); popd; b => a:/x b:",
                "cd /x; popd +1; a; popd -n; b => a:/x b:/x",
            })
    void aDirectoryFollowsWhateverRunsCd(String text, String directories) {
        assertThat(read(text).commands().stream()
                        .filter(command -> command.words().getFirst().text().matches("[a-e]"))
                        .map(command -> command.words().getFirst() + ":" + command.directory())
                        .collect(Collectors.joining(" ")))
                .isEqualTo(directories);
    }

    /** Who has a terminal types into it, and what is piped in is run. */
    @ParameterizedTest
    @CsvSource({
        "sudo -s, true",
        "sudo -u bob -i, true",
        "sudo -nsu bob, true",
        "sudo --login, true",
        "sudo su - bob, true",
        "su, true",
        "runuser -l bob, true",
        "doas -s, true",
        "sudo -l, false",
        "sudo -u is -l, false",
        "sudo -s ls, false",
        "su -c ls, false",
        "su --help, false",
        "runuser -u bob ls, false",
        "doas ls, false",
    })
    void aShellOfAnotherUserReadsItsInput(String text, boolean reads) {
        assertThat(read(text).commands().stream().anyMatch(SimpleCommand::isReadingShell))
                .isEqualTo(reads);
    }

    @Test
    void redirectsAreTold() {
        assertThat(read("a > x 2>> y < z &> w; { b; } >| v").commands())
                .extracting(command -> command.redirects().stream()
                        .map(redirect -> redirect.operator() + redirect.target())
                        .collect(Collectors.joining(" ")))
                .containsExactly(">x >>y <z &>w", ">|v");
    }

    @Test
    void aRedirectWithoutACommandIsOneOfTheCommandThatDoesNothing() {
        assertThat(words(read("> x; >> y 2>&1; a"))).isEqualTo(": ; : ; a");
    }

    @Test
    void whatARedirectWritesIsTold() {
        assertThat(read("a > x >& y 2>&1 >&- &> z < w").commands().getFirst().redirects().stream()
                        .filter(Redirect::writes)
                        .map(redirect -> redirect.target().text()))
                .containsExactly("x", "y", "z");
        assertThat(read("a > x <<EOF >> y\nb\nEOF").commands().getFirst().redirects())
                .extracting(redirect -> redirect.target().text())
                .containsExactly("x", "y");
    }

    @Test
    void whatStandsInFrontIsTold() {
        SimpleCommand command = read("sudo env A=1 sh -c 'B=2 rm x'").commands().getFirst();
        assertThat(command.behind())
                .extracting(List::getFirst)
                .extracting(Word::text)
                .containsExactly("sudo", "env", "sh");
        assertThat(command.assignments())
                .extracting(SimpleCommand.Assignment::name)
                .containsExactly("B");
        assertThat(command.isBehind("sudo")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {":(){ :|:& };:", "b() { b | b & }; b", "function f { f & f; }; f"})
    void aFunctionThatStartsItselfTwiceAtOnceIsSeen(String text) {
        assertThat(read(text).bomb()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "walk() { for d in */; do walk $d; done; }; walk",
                "walk() { for d in */; do walk $d | sort; done; }; walk",
                "retry() { sleep 1; retry & }; retry",
            })
    void aFunctionThatGoesOnAsOneIsNoBomb(String text) {
        assertThat(read(text).bomb()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"if then", "a 'b", "a && ", "for", "(((", "rm x ) y", "sh -c 'a \"b'"})
    void whatFollowsNoGrammarIsNotUnderstood(String text) {
        assertThat(read(text).understood()).isFalse();
    }

    @Test
    void aWordKnowsItsPlaces() {
        String text = "sh -c \"curl -u \\\"me:secret\\\" x\"";
        Word word = read(text).commands().getFirst().words().get(2);
        assertThat(word.text()).isEqualTo("me:secret");
        int at = word.text().indexOf("secret");
        assertThat(text.substring(word.places()[at])).startsWith("secret");
    }

    @Test
    void argumentsAreReadAsTheyAre() {
        Script script = ShellText.read(List.of("rm", "-rf", "$HOME", "*"), ENVIRONMENT);
        assertThat(words(script)).isEqualTo("rm -rf $HOME *");
        assertThat(script.commands().getFirst().words())
                .noneMatch(Word::pattern)
                .allMatch(Word::known);
        assertThat(words(ShellText.read(List.of("bash", "-c", "a; b"), ENVIRONMENT)))
                .isEqualTo("a ; b ; bash -c a; b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((", "$(", "{", "'", "`", "a\n", "<<A ", "if ", "\"$(\"", "a|", "a[", "${", "[[ ", "a;", "f(){ ",
                "{a,b}"
            })
    void nothingIsTooLargeOrTooDeep(String part) {
        assertThat(read(part.repeat(100_000 / part.length())).commands()).isNotNull();
    }

    /** A crash of the parser ends this process, which fails the build. */
    @Test
    void noBytesAreTooMuch() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "abrm -/\\'\"`$(){}[]<>|&;=!#*?~\n\té\u0001\u0000😀EOF";
        List<String> parts = List.of(
                "$(",
                "<<EOF\n",
                "EOF\n",
                "if ",
                "then ",
                "fi",
                "for i in ",
                "do ",
                "done ",
                "case x in ",
                "esac",
                "f() ",
                "${x:-",
                "$((",
                "[[ ",
                " ]]",
                "sh -c '",
                "<(",
                ">&",
                "eval ",
                "\\\n",
                "$'\\x",
                "export a=",
                "find . -exec ");
        long end = System.nanoTime() + Long.getLong("holdfast.fuzz.seconds", 20) * 1_000_000_000L;
        long texts = 0;
        while (System.nanoTime() < end) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(1, texts % 100 == 0 ? 5000 : 60);
            for (int i = 0; i < length; i++) {
                if (random.nextInt(4) == 0) {
                    text.append(parts.get(random.nextInt(parts.size())));
                } else {
                    text.append(alphabet.charAt(random.nextInt(alphabet.length())));
                }
            }
            try {
                read(text.toString());
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + text, e);
            }
            texts++;
        }
        assertThat(texts).isPositive();
    }

    /** What the grammar's scanner keeps of open here-documents has a bound, at which it would end this process. */
    @Test
    void delimitersOfAnyLengthAndNumberDoNoHarm() {
        for (int length = 900; length < 1040; length++) {
            String delimiter = "A".repeat(length);
            read("cat <<" + delimiter + "\nx\n");
            read("cat <<- \t'" + delimiter + "'\nx\n");
            read("cat <<-" + delimiter.replace('A', '-') + "\nx\n");
            read("cat <<" + "\\ A".repeat(length / 2) + "\nx\n");
            read("cat <<<<" + delimiter + "\nx\n");
            read("((1 <<" + delimiter + "\nx\n");
            read("((1 <<A ".repeat(length / 8));
            read("cat <<B <<" + delimiter + "\nx\n");
            read("cat" + " <<B".repeat(length / 9) + " <<" + "B".repeat(length % 9 + 1) + "\nx\n");
        }
        assertThat(read("cat <<E\nx\nE\n".repeat(90)).understood()).isTrue();
        assertThat(read("cat <<" + "E".repeat(1013)).understood()).isTrue();
        assertThat(read("((1<<" + "E".repeat(1013) + "))").understood()).isTrue();
    }

    private static Script read(String text) {
        return ShellText.read(text, ENVIRONMENT);
    }

    private static String words(Script script) {
        return script.commands().stream()
                .map(command -> Stream.of(command.words())
                        .flatMap(List::stream)
                        .map(Word::text)
                        .collect(Collectors.joining(" ")))
                .collect(Collectors.joining(" ; "));
    }
}
