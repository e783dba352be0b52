package dev.holdfast.render;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names whose value is a secret, whether of an option, a variable, a field or a header. */
final class SecretNames {
    private static final List<String> ENDINGS = List.of(
            "password",
            "passwd",
            "passphrase",
            "passcode",
            "token",
            "secret",
            "credential",
            "credentials",
            "apikey",
            "api_key",
            "access_key",
            "secret_key",
            "private_key",
            "signing_key",
            "encryption_key",
            "account_key",
            "auth_key",
            "secretkey",
            "accesskey",
            "privatekey",
            "storepass",
            "keypass",
            "authorization",
            "_pass",
            "_pwd");
    private static final Set<String> WHOLE = Set.of("pass", "passin", "passout");
    private static final Set<String> SCHEMES = Set.of("bearer", "basic", "token", "apikey", "digest");

    private SecretNames() {}

    /** @param name as it stands, with the dashes of an option; case and what joins its parts do not matter */
    static boolean isSecret(String name) {
        int from = 0;
        while (from < name.length() && name.charAt(from) == '-') {
            from++;
        }
        // A longer run is data; the ending alone is looked at anyway.
        int begin = Math.max(from, name.length() - 40);
        String plain =
                name.substring(begin).toLowerCase(Locale.ROOT).replace('-', '_').replace('.', '_');
        if (begin == from && WHOLE.contains(plain)) {
            return true;
        }
        for (String ending : ENDINGS) {
            if (plain.endsWith(ending)) {
                return true;
            }
        }
        return false;
    }

    /** Schemes of the Authorization header (RFC 9110, section 11): what follows one is the credential. */
    static boolean isScheme(String word) {
        return word.length() <= 6 && SCHEMES.contains(word.toLowerCase(Locale.ROOT));
    }
}
