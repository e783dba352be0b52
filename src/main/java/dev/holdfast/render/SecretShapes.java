package dev.holdfast.render;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What can be told to be a secret from where it stands in any text: tokens that issuers made recognisable, passwords in
 * URLs, fields and headers. Time is linear in the text.
 */
final class SecretShapes {
    /** What an issuer's tokens begin with, and the least of what follows. Real ones are longer. */
    private static final List<String> TOKENS = List.of(
            "AKIA[0-9A-Z]{12,}+(?![a-z])", // Amazon's access keys, and temporary ones
            "ASIA[0-9A-Z]{12,}+(?![a-z])",
            "ghp_\\w{8,}", // GitHub's, by who holds them
            "gho_\\w{8,}",
            "ghu_\\w{8,}",
            "ghs_\\w{8,}",
            "ghr_\\w{8,}",
            "github_pat_\\w{9,}",
            "glpat-[\\w-]{10,}", // GitLab
            "glrt-[\\w-]{10,}",
            "gldt-[\\w-]{10,}",
            "glptt-[\\w-]{10,}",
            "sk-(?=[\\w-]{0,64}[0-9A-Z])[\\w-]{13,}", // OpenAI, Anthropic
            "sk_live_\\w{8,}", // Stripe
            "sk_test_\\w{8,}",
            "rk_live_\\w{8,}",
            "whsec_\\w{16,}",
            "xox[a-z]-[\\w-]{7,}", // Slack
            "xapp-[\\w-]{7,}",
            "hooks.slack.com/services/(?<slack>[\\w/-]+)",
            "AIza[\\w-]{26,}", // Google
            "ya29[.][\\w.-]{15,}",
            "GOCSPX-[\\w-]{16,}",
            "npm_[A-Za-z0-9]{16,}",
            "pypi-(?=[\\w-]{0,64}[0-9A-Z])[\\w-]{15,}",
            "hf_[A-Za-z0-9]{17,}",
            "dckr_pat_[\\w-]{7,}",
            "dop_v1_\\w{16,}", // DigitalOcean
            "hvs[.][\\w-]{16,}", // Vault
            "hvb[.][\\w-]{16,}",
            "shpat_\\w{16,}", // Shopify
            "SG[.][\\w.-]{27,}", // SendGrid
            "AGE-SECRET-KEY-1\\w{16,}",
            "gsk_\\w{16,}", // Groq, xAI, Replicate, NVIDIA, Perplexity
            "xai-[\\w-]{16,}",
            "r8_\\w{16,}",
            "nvapi-[\\w-]{16,}",
            "pplx-\\w{16,}",
            "lin_api_\\w{16,}", // Linear, Notion, Figma, Grafana, New Relic, Atlassian
            "ntn_\\w{16,}",
            "figd_[\\w-]{16,}",
            "glsa_\\w{16,}",
            "NRAK-[A-Z0-9]{16,}",
            "ATATT3x[\\w=-]{16,}",
            "tskey-(?:auth|api|client)-[\\w-]{6,}", // Tailscale, Databricks, Postman, Sentry, RubyGems, Supabase
            "dapi[0-9a-f]{32}(?![0-9A-Za-z])",
            "PMAK-[0-9a-f-]{16,}",
            "sntrys_[\\w+/=-]{16,}",
            "rubygems_[0-9a-f]{16,}",
            "sbp_[0-9a-f]{16,}",
            "fm1_[\\w+/=-]{16,}", // Fly
            "fm2_[\\w+/=-]{16,}",
            "fo1_[\\w+/=-]{16,}",
            "ops_eyJ[\\w-]{16,}", // 1Password, Terraform, Mailgun
            "atlasv1[.](?<terraform>[\\w-]{16,})",
            "key-(?<![\\w-]key-)[0-9a-f]{32}(?![0-9A-Za-z])",
            "discord.com/api/webhooks/(?<discord>[\\w/-]+)",
            "api.telegram.org/bot(?<telegram>[0-9]+:[\\w-]+)",
            // RFC 7515: three parts in base64url, the first of them JSON.
            "eyJ(?<![\\w-]eyJ)[\\w-]++[.][\\w-]++[.][\\w-]*+");

    /** Twilio's; its first letters are in many a word. */
    private static final String HEX_TOKEN = "SK[0-9a-f]{32}(?![0-9A-Za-z])";

    private static final Pattern TOKEN =
            Pattern.compile("(?<![A-Za-z0-9])(?:" + String.join("|", TOKENS) + "|" + HEX_TOKEN + ")");
    private static final Pattern PRIVATE_KEY = Pattern.compile(
            "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{0,50}-----|\\z)");
    private static final Pattern URL =
            Pattern.compile("://(?:[^\\s/?#\"'<>:@]{0,200}+:([^\\s/?#\"'<>]{1,500})|([^\\s/?#\"'<>:@]{20,500}+))@");
    private static final Pattern BEARER =
            Pattern.compile("(?i)(?<![\\w-])bearer\\s{1,4}+((?=[\\w.~+/-]{0,64}[0-9])[\\w.~+/=-]{12,})");
    private static final Pattern AUTHORIZATION =
            Pattern.compile("(?i)authorization[\"'\\\\]{0,3}+\\s{0,4}+[:=]\\s{0,4}+[\"'\\\\]{0,3}+"
                    + SecretNames.SCHEMES + "([^\"'\\s\\\\][^\"'\\n\\\\]*+)");
    /** A name, what ends it where it is in quotes, and what stands between it and its value. */
    private static final Pattern NAME = Pattern.compile(
            "(?<![\\w.-])([\\w.-]{2,100}+)((?:\\\\?[\"']]?+)?+)(:[-=]|[ \\t]{0,2}+[:=](?!=)[ \\t]{0,4}+)");

    private static final Pattern QUERY = Pattern.compile("[?&](?:key|auth)=([^\\s&#\"']+)");
    /** In one word such a name has a password, and hardly a task of that name. */
    private static final Pattern PASSWORD =
            Pattern.compile("(?i)^(?:password|passwd|passphrase):((?=\\S*[0-9])[^\\s:]+)$");

    /** What a database is told to take. */
    private static final Pattern SQL =
            Pattern.compile("(?i)(?:\\bpassword|\\bidentified(?:\\s{1,4}+with\\s{1,4}+[\\w\"]{1,60}+)?\\s{1,4}+by)"
                    + "\\s{0,4}+[(]?'([^'\\n]{1,200}+)'"
                    + "|(?:\\bpassword\\s{0,4}+[(]"
                    + "|\\bidentified(?:\\s{1,4}+with\\s{1,4}+\\w{1,60}+)?\\s{1,4}+by\\s{0,4}+)\"([^\"\\n]{1,200}+)\"");

    /** What a program is sent that asked for a password. */
    private static final Pattern SENT = Pattern.compile("(?i)(?:assword|passphrase)[^\"'\\n]{0,40}+[\"']?+"
            + "[\\s;{}]{0,40}+send\\s{1,4}+(?:--\\s{1,4}+)?+\"((?:[^\"\\\\\\n]|\\\\.){1,200}+)\"");

    /** A pattern in it ends with the pattern. */
    private static final Pattern BARE =
            Pattern.compile("(?:[.][*+]|\\[)[^\\s\"'`;|&<>(),{}\\\\/#@]*+|[^\\s\"'`;|&<>(),{}\\\\]++");
    /** Of a file that is written: all of a value, but none of a program. */
    private static final Pattern LINE = Pattern.compile(
            "(?m)^[ \\t]{0,40}+(?:export |- )?([\\w.-]{2,100}+)[ \\t]{0,20}+[:=][ \\t]{0,20}+([^\\s\"'][^\\n]*+)$");

    private static final Pattern CALL = Pattern.compile("[\\w.]++[(\\[].*+");

    /** Is told of each, by its place in the text. */
    interface Found {
        void secret(int from, int to);
    }

    private SecretShapes() {}

    /** What one of these shapes has in it, in small letters. */
    static Stream<String> marks() {
        return Stream.of(
                        TOKENS.stream().map(token -> token.split("[\\[(\\\\]", 2)[0].toLowerCase(Locale.ROOT)),
                        "0123456789abcdef".chars().mapToObj(digit -> "sk" + (char) digit),
                        Stream.of("-----begin", "bearer", "identified", "assword"))
                .flatMap(marks -> marks);
    }

    /** What is a secret wherever it stands. */
    static void findAnywhere(String text, Found found) {
        all(TOKEN, text, found);
        all(PRIVATE_KEY, text, found);
        all(URL, text, found);
        all(BEARER, text, found);
        all(QUERY, text, found);
    }

    /** Fields and headers too, of a text that is one thing: a word, a file. */
    static void find(String text, Found found) {
        findAnywhere(text, found);
        all(AUTHORIZATION, text, found);
        all(PASSWORD, text, found);
        all(SQL, text, found);
        all(SENT, text, found);
        Matcher name = NAME.matcher(text);
        Quotes quotes = new Quotes(text);
        int from = 0;
        while (from < text.length() && name.find(from)) {
            // What follows a name that is none may be one: a=token=x.
            boolean secret = SecretNames.isSecret(name.group(1));
            from = secret ? Math.max(name.end(1) + 1, value(text, name, quotes, found)) : name.end(1) + 1;
        }
    }

    /** Also what stands on a line of its own: what a here-document writes into a file. */
    static void findInFile(String text, Found found) {
        find(text, found);
        Matcher line = LINE.matcher(text);
        while (line.find()) {
            if (SecretNames.isSecret(line.group(1))
                    && !CALL.matcher(line.group(2)).matches()) {
                tell(text, line.start(2), line.end(2), found);
            }
        }
    }

    private static void all(Pattern pattern, String text, Found found) {
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            int group = 0;
            for (int i = 1; i <= matcher.groupCount(); i++) {
                group = matcher.start(i) < 0 ? group : i;
            }
            tell(text, matcher.start(group), matcher.end(group), found);
        }
    }

    /** Where it ends. */
    private static int value(String text, Matcher name, Quotes quotes, Found found) {
        String between = name.group(3);
        int from = name.end();
        int quote = text.startsWith("\\", from) ? from + 1 : from;
        boolean quoted = quote < text.length() && (text.charAt(quote) == '"' || text.charAt(quote) == '\'');
        if (quoted) {
            String closing = text.substring(from, quote + 1);
            if (name.group(2).isEmpty() && quotes.end(closing, name.start())) {
                return from;
            }
            int end = text.indexOf(closing, quote + 1);
            while (end > 0 && closing.length() == 1 && text.charAt(end - 1) == '\\') {
                end = text.indexOf(closing, end + 1);
            }
            end = end < 0 ? text.length() : end;
            tell(text, quote + 1, end, found);
            return end;
        }
        boolean field = between.strip().equals(":");
        boolean named = !name.group(2).isEmpty();
        boolean blank = between.endsWith(" ");
        Matcher bare = BARE.matcher(text).region(from, text.length());
        if ((field ? !named && !blank : blank) || !bare.lookingAt()) {
            return from;
        }
        if (!field || named || endsField(text, bare.end())) {
            tell(text, from, bare.end(), found);
        }
        return bare.end();
    }

    /** Those of a text, from its beginning on. */
    private static final class Quotes {
        private final String text;
        private int at;
        private boolean single;
        private boolean doubled;

        Quotes(String text) {
            this.text = text;
        }

        /** Whether such a quote ends what is in front of it, {@code "password:"}, and begins no value. */
        boolean end(String quote, int name) {
            for (; at < name; at++) {
                single ^= text.charAt(at) == '\'';
                doubled ^= text.charAt(at) == '"';
            }
            // One before the name may be an apostrophe.
            int before = text.lastIndexOf(quote, name);
            return (quote.equals("'") ? single : doubled)
                    && (before == 0 || (before > 0 && " \t\n({".indexOf(text.charAt(before - 1)) >= 0));
        }
    }

    /** A value without quotes that is one word, and not the first of a sentence. */
    private static boolean endsField(String text, int end) {
        return end == text.length() || "\n\"',}\\".indexOf(text.charAt(end)) >= 0;
    }

    private static void tell(String text, int from, int to, Found found) {
        if (to > from && !SecretNames.isHarmless(text.substring(from, to))) {
            found.secret(from, to);
        }
    }
}
