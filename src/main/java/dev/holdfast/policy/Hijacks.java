package dev.holdfast.policy;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Variables that change which program runs, or what it runs besides, and what sets them. */
final class Hijacks {
    private static final Set<String> NAMES = Set.of(
            ("HOME XDG_CONFIG_HOME PATH BASH_ENV ENV IFS PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND ZDOTDIR GIT_SSH GIT_SSH_COMMAND "
                            + "GIT_ALLOW_PROTOCOL GIT_ASKPASS GIT_EDITOR GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PAGER "
                            + "GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_TEMPLATE_DIR SSH_ASKPASS SUDO_ASKPASS EDITOR VISUAL "
                            + "PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB "
                            + "PERL5OPT PERL5DB RUBYLIB RUBYOPT NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS "
                            + "JDK_JAVA_OPTIONS RUSTC_WRAPPER KUBECTL_EXTERNAL_DIFF SYSTEMD_PAGER SYSTEMD_EDITOR MANOPT "
                            + "MAKEFLAGS GNUMAKEFLAGS TAR_OPTIONS RIPGREP_CONFIG_PATH BAT_PAGER BAT_CONFIG_PATH")
                    .split(" ", -1));

    /** They set what is named with a value. */
    private static final Set<String> DECLARING = Set.of("export", "declare", "typeset", "readonly", "local");
    /** They set what is named. */
    private static final Set<String> READING = Set.of("read", "mapfile", "readarray", "getopts");

    /** A pager or an editor that is one of these runs nothing else. */
    private static final Set<String> TAME = Set.of("", "cat", "true", ":");

    private static final Pattern BEHIND_NAME = Pattern.compile("[+=\\[].*", Pattern.DOTALL);

    private Hijacks() {}

    /** Whether a command sets one, in front of it or by its words. */
    static boolean setsOne(SimpleCommand command) {
        List<Word> words = command.words();
        String program = words.getFirst().text();
        return command.assignments().stream()
                        .anyMatch(one -> isOne(one)
                                && !(READING.contains(program) && one.name().equals("IFS")))
                || (DECLARING.contains(program) && words.stream().anyMatch(Hijacks::isOne))
                || (READING.contains(program) && words.stream().anyMatch(word -> names(word.text())))
                || (program.equals("printf") && words.size() > 1 && names(printed(words)));
    }

    /** What {@code printf} prints to. */
    private static String printed(List<Word> words) {
        String option = words.get(1).text();
        boolean apart = option.equals("-v") && words.size() > 2;
        return apart ? words.get(2).text() : option.startsWith("-v") ? option.substring(2) : "";
    }

    /** {@code NAME=value}. */
    static boolean isOne(Word word) {
        int equals = word.text().indexOf('=');
        return equals > 0 && (isNamed(word) || isCode(word.from(equals + 1)));
    }

    /** {@code NAME=value}, of any value but a tame one. */
    static boolean isNamed(Word word) {
        int equals = word.text().indexOf('=');
        String name = BEHIND_NAME.matcher(word.text()).replaceFirst("");
        return equals > 0 && names(name) && !isTame(name, word.from(equals + 1));
    }

    static boolean isOne(Assignment assignment) {
        return (names(assignment.name()) && !isTame(assignment.name(), assignment.value()))
                || isCode(assignment.value());
    }

    private static boolean isTame(String variable, Word value) {
        boolean shows = variable.endsWith("PAGER") || variable.endsWith("EDITOR");
        return shows && value.known() && TAME.contains(value.text());
    }

    /** Data to the shell until a prompt or arithmetic expands it once more: then what is in it runs. */
    static boolean isCode(Word value) {
        return value.known() ? value.text().contains("$(") || value.text().indexOf('`') >= 0 : isPrompt(value);
    }

    /** Whether it expands the value of a variable, as a prompt is: {@code ${x@P}}. */
    static boolean isPrompt(Word word) {
        return !word.known() && word.text().contains("@P}");
    }

    static boolean names(String variable) {
        return NAMES.contains(variable)
                || variable.startsWith("LD_")
                || variable.startsWith("DYLD_")
                || variable.startsWith("GIT_CONFIG")
                // It may name a file, which git then makes.
                || variable.startsWith("GIT_TRACE")
                || variable.startsWith("BASH_FUNC_");
    }
}
