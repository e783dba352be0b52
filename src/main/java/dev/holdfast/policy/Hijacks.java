package dev.holdfast.policy;

import java.util.Set;

/** Variables that change which program runs, or what it runs besides. */
final class Hijacks {
    private static final Set<String> NAMES = Set.of(
            "PATH",
            "BASH_ENV",
            "ENV",
            "IFS",
            "PS4",
            "SHELLOPTS",
            "BASHOPTS",
            "PROMPT_COMMAND",
            "ZDOTDIR",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_ASKPASS",
            "GIT_EDITOR",
            "GIT_EXEC_PATH",
            "GIT_EXTERNAL_DIFF",
            "GIT_PAGER",
            "GIT_PROXY_COMMAND",
            "GIT_SEQUENCE_EDITOR",
            "GIT_TEMPLATE_DIR",
            "SSH_ASKPASS",
            "SUDO_ASKPASS",
            "EDITOR",
            "VISUAL",
            "PAGER",
            "MANPAGER",
            "BROWSER",
            "LESSOPEN",
            "LESSCLOSE",
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONSTARTUP",
            "PERL5LIB",
            "PERL5OPT",
            "PERL5DB",
            "RUBYLIB",
            "RUBYOPT",
            "NODE_OPTIONS",
            "NODE_PATH",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "RUSTC_WRAPPER");

    private Hijacks() {}

    static boolean names(String variable) {
        return NAMES.contains(variable)
                || variable.startsWith("LD_")
                || variable.startsWith("DYLD_")
                || variable.startsWith("GIT_CONFIG")
                || variable.startsWith("BASH_FUNC_");
    }
}
