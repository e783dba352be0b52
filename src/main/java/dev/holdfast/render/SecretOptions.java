package dev.holdfast.render;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Short options that carry a password in some programs and mean something else in all others. For one pass over a command. */
final class SecretOptions {
    /**
     * @param attached an option whose value follows without a space ({@code mysql -psecret}), or null
     * @param detached an option whose value is the next word ({@code redis-cli -a secret}), or null
     */
    private record Options(
            @Nullable String attached, @Nullable String detached) {
        static final Options NONE = new Options(null, null);
    }

    private static final Options MYSQL = new Options("-p", null);
    private static final Options MONGO = new Options(null, "-p");
    private static final Options ZIP = new Options(null, "-P");
    private static final Options LDAP = new Options(null, "-w");
    private static final Map<String, Options> PROGRAMS = Map.ofEntries(
            Map.entry("mysql", MYSQL),
            Map.entry("mysqldump", MYSQL),
            Map.entry("mysqladmin", MYSQL),
            Map.entry("mysqlimport", MYSQL),
            Map.entry("mysqlshow", MYSQL),
            Map.entry("mysqlcheck", MYSQL),
            Map.entry("mysqlpump", MYSQL),
            Map.entry("mysqlsh", MYSQL),
            Map.entry("mariadb", MYSQL),
            Map.entry("mariadb-dump", MYSQL),
            Map.entry("mariadb-admin", MYSQL),
            Map.entry("7z", MYSQL),
            Map.entry("7za", MYSQL),
            Map.entry("sshpass", new Options("-p", "-p")),
            Map.entry("curl", new Options("-u", "-u")),
            Map.entry("redis-cli", new Options(null, "-a")),
            Map.entry("mongo", MONGO),
            Map.entry("mongosh", MONGO),
            Map.entry("mongodump", MONGO),
            Map.entry("mongorestore", MONGO),
            Map.entry("login", MONGO),
            Map.entry("zip", ZIP),
            Map.entry("unzip", ZIP),
            Map.entry("ldapsearch", LDAP),
            Map.entry("ldapmodify", LDAP),
            Map.entry("ldapadd", LDAP));

    private Options current = Options.NONE;

    /** A word of the command that runs now; one that names a program decides what the options after it mean. */
    void saw(String word) {
        current = PROGRAMS.getOrDefault(word, current);
    }

    void commandEnds() {
        current = Options.NONE;
    }

    /** Whether {@code option} has its value attached; {@code next} is what follows, a blank at the end. */
    boolean hasAttached(String option, char next) {
        String attached = current.attached();
        return attached != null
                && option.startsWith(attached)
                && (option.length() > attached.length() || !Character.isWhitespace(next));
    }

    boolean wantsNextWord(String option) {
        return option.equals(current.detached());
    }
}
