package dev.holdfast.render;

import java.util.List;

/** Tokens that issuers made recognisable, so that secret scanners find them. */
final class SecretShapes {
    /** @param length the whole token's, at least; real ones are longer */
    private record Shape(String prefix, int length) {}

    private static final List<Shape> SHAPES = List.of(
            new Shape("AKIA", 16), // Amazon's access keys, and temporary ones
            new Shape("ASIA", 16),
            new Shape("ghp_", 12), // GitHub's, by who holds them
            new Shape("gho_", 12),
            new Shape("ghu_", 12),
            new Shape("ghs_", 12),
            new Shape("ghr_", 12),
            new Shape("github_pat_", 20),
            new Shape("glpat-", 16), // GitLab
            new Shape("sk-", 16), // OpenAI, Anthropic
            new Shape("sk_live_", 16), // Stripe
            new Shape("sk_test_", 16),
            new Shape("rk_live_", 16),
            new Shape("xoxa-", 12), // Slack
            new Shape("xoxb-", 12),
            new Shape("xoxe-", 12),
            new Shape("xoxp-", 12),
            new Shape("xoxr-", 12),
            new Shape("xoxs-", 12),
            new Shape("xapp-", 12),
            new Shape("AIza", 30), // Google
            new Shape("ya29.", 20),
            new Shape("npm_", 20),
            new Shape("pypi-", 20),
            new Shape("hf_", 20),
            new Shape("dckr_pat_", 16),
            new Shape("SG.", 30)); // SendGrid

    private SecretShapes() {}

    /** @param run letters, digits, {@code -}, {@code _} and dots, whole */
    static boolean matches(String run) {
        if (run.length() < 12) {
            return false;
        }
        for (Shape shape : SHAPES) {
            if (run.length() >= shape.length() && run.startsWith(shape.prefix())) {
                return !run.startsWith("A") || upperCase(run, shape);
            }
        }
        return isJsonWebToken(run);
    }

    /** Amazon's have no small letters; a word that merely begins alike has. */
    private static boolean upperCase(String run, Shape shape) {
        return shape.prefix().equals("AIza")
                || run.chars().allMatch(c -> (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
    }

    /** RFC 7515: three parts in base64url, the first of them JSON, which begins with {@code eyJ}. */
    private static boolean isJsonWebToken(String run) {
        return run.startsWith("eyJ") && run.chars().filter(c -> c == '.').count() >= 2;
    }
}
