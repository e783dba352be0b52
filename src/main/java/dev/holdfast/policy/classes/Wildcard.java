package dev.holdfast.policy.classes;

/**
 * A pattern in which {@code *} is any run of characters, blanks too; a last {@code " *"} is also nothing. In linear
 * time.
 */
public record Wildcard(String pattern) {
    public boolean matches(String text) {
        return matches(pattern, text)
                || (pattern.endsWith(" *") && matches(pattern.substring(0, pattern.length() - 2), text));
    }

    /** Whether it matches all that the other one does. */
    public boolean covers(Wildcard other) {
        return matches(other.pattern);
    }

    public boolean matchesAll() {
        return !pattern.isEmpty() && pattern.chars().allMatch(c -> c == '*');
    }

    private static boolean matches(String pattern, String text) {
        int at = 0;
        int star = -1;
        int retry = 0;
        int i = 0;
        while (i < text.length()) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                retry = i;
            } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(i)) {
                at++;
                i++;
            } else if (star >= 0) {
                at = star + 1;
                i = ++retry;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }
}
