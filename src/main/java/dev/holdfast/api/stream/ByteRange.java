package dev.holdfast.api.stream;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of a stream as a {@code Range} header asks for it, RFC 9110 section 14.
 *
 * @param first inclusive
 * @param last inclusive; less than {@code first} when there is nothing at all in the range
 */
public record ByteRange(long first, long last) {
    private static final Pattern FORM = Pattern.compile("(?i)\\s*bytes\\s*=\\s*(\\d*)\\s*-\\s*(\\d*)\\s*");
    private static final int DIGITS = 18;

    /** The one range of the header; nothing when it is of another form or asks for several: then it does not count. */
    public static Optional<ByteRange> parse(String header, long total) {
        Matcher matcher = FORM.matcher(header);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String from = matcher.group(1);
        String to = matcher.group(2);
        if (from.isEmpty()) {
            return to.isEmpty() ? Optional.empty() : Optional.of(lastBytes(number(to), total));
        }
        long first = number(from);
        long last = to.isEmpty() ? total - 1 : Math.min(number(to), total - 1);
        boolean backwards = !to.isEmpty() && number(to) < first;
        return backwards ? Optional.empty() : Optional.of(new ByteRange(first, last));
    }

    /** One that fits in no long is beyond any stream all the same. */
    private static long number(String digits) {
        String plain = digits.replaceFirst("^0+(?=\\d)", "");
        return plain.length() > DIGITS ? Long.MAX_VALUE : Long.parseLong(plain);
    }

    private static ByteRange lastBytes(long count, long total) {
        return count == 0 ? new ByteRange(total, total - 1) : new ByteRange(Math.max(0, total - count), total - 1);
    }

    public boolean empty() {
        return last < first;
    }

    public long length() {
        return last - first + 1;
    }

    /** The same, ending before {@code offset}. */
    public ByteRange before(long offset) {
        return new ByteRange(first, Math.min(last, offset - 1));
    }
}
