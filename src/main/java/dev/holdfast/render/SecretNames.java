package dev.holdfast.render;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Names whose value is a secret, whether of an option, a variable, a field or a header; and values that are none. */
final class SecretNames {
    /** What one of the names has in it; of small letters. */
    static final List<String> MARKS =
            List.of(("pass pw token secret cred key auth sig bearer curl smbclient cookie session_id sessionid sessid"
                            + " _pat= _pat: _pat' _pat\"")
                    .split(" ", -1));

    /** Of a name in small letters, what joins its parts left out. */
    private static final List<String> ENDINGS = List.of(
            ("password passw passwo passwor passwd passphrase passcode storepass keypass sshpass token secret secretstring secretvalue credential"
                            + " credentials authorization signature apikey accesskey secretkey secretkeybase privatekey"
                            + " signingkey encryptionkey bearer accountkey authkey masterkey subscriptionkey"
                            + " functionskey")
                    .split(" ", -1));

    private static final List<String> PARTS = List.of("_pass", "_pwd");
    private static final Set<String> WHOLE =
            Set.of("pass", "passin", "passout", "pw", "pwd", "sig", "toke", "_auth", "rediscli_auth");
    /** Of variables, whose names otherwise end so for a secret. */
    private static final Pattern OTHER_KEYS =
            Pattern.compile(".*(?:PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|OBJECT|GROUP|INDEX)_KEY");

    /** Of variables: what it is the secret of comes last. */
    private static final Pattern SECRET_OF = Pattern.compile(
            "AUTH|(?:TOKEN|PASSWORD|SECRET)_(?!FILE|PATH|URL|URI|NAME|TYPE|ID|DIR|TTL|LENGTH|LIMIT|COUNT|EXPIR)[A-Z0-9_]+");

    /** Of variables, whose other names may end in the same letters. */
    private static final Pattern VARIABLE = Pattern.compile("[A-Z0-9_]*(?<!BY|COM|TRES|SUR|MULTI|LOW|HIGH|BAND|ALL)PASS"
            + "|[A-Z0-9_]+_PAT|(?:[A-Z0-9_]+_)?COOKIE"
            + "|(?!XDG_|I?TERM_)(?:[A-Z0-9_]+_)?SESSION_?ID|[A-Z]*SESS(?:ION)?ID");

    private static final Pattern NUMBER = Pattern.compile("_?[0-9]{1,3}$");
    private static final Pattern KEY = Pattern.compile("[A-Z][A-Z0-9_]*_KEY");
    private static final Pattern DASHES = Pattern.compile("^-+");
    private static final Pattern HARMLESS = Pattern.compile(
            // A variable, a substitution, a place to put something in, a pattern.
            "[$](?:[\\w{(!@#*-].*)?|[`<\\[(].*|%[a-z({].*|\\{\\{.*|\\.[*+].*|\\\\.*"
                    // A file, or where else it is to be found.
                    + "|@?(?:/(?:run|var|etc|home|tmp|usr|opt|proc|dev|root|mnt|srv|Users)/|~/|\\.\\.?/).*"
                    + "|[\\w./@-]*\\.(?:pem|key|json|txt|ya?ml|pub|crt|env)|(?:file|env|fd|op|arn|id|type)[:=].*"
                    + "|true|false|null|none|undefined|\\**",
            Pattern.DOTALL);

    /** Schemes of the Authorization header (RFC 9110, section 11): what follows one is the credential. */
    static final String SCHEMES = "(?i:(?:bearer|basic|token|apikey|digest|negotiate|aws4-hmac-sha256)\\s{1,4}+)?+";

    private SecretNames() {}

    /** @param name as it stands, with the dashes of an option; case and what joins its parts do not matter */
    static boolean isSecret(String name) {
        // A longer run is data; the ending alone is looked at anyway.
        String plain = DASHES.matcher(name.substring(Math.max(0, name.length() - 60)))
                .replaceFirst("")
                .toLowerCase(Locale.ROOT)
                .replace('-', '_')
                .replace('.', '_');
        String joined = NUMBER.matcher(plain).replaceFirst("").replace("_", "");
        return ENDINGS.stream().anyMatch(joined::endsWith)
                || PARTS.stream().anyMatch(plain::endsWith)
                || (WHOLE.contains(plain) && !name.equals("PWD"))
                || SECRET_OF.matcher(name).matches()
                || VARIABLE.matcher(name).matches()
                || (KEY.matcher(name).matches() && !OTHER_KEYS.matcher(name).matches());
    }

    /** Of a header. */
    static boolean isSecretHeader(String name) {
        return isSecret(name) || name.equalsIgnoreCase("cookie") || name.equalsIgnoreCase("set-cookie");
    }

    /** Whether a value is no secret, whatever it is the value of. */
    static boolean isHarmless(String value) {
        return HARMLESS.matcher(value).matches();
    }
}
