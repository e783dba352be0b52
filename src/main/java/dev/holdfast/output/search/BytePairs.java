package dev.holdfast.output.search;

/** How often each two bytes follow each other in a sample of a text. */
final class BytePairs {
    /** So much of a block tells what is common in it; counted in less than a millisecond. */
    private static final int SAMPLE = 64 * 1024;

    private final int[] counts = new int[1 << 16];

    BytePairs(byte[] bytes, int from, int to) {
        int end = Math.min(to, from + SAMPLE);
        for (int at = from + 1; at < end; at++) {
            counts[(bytes[at - 1] & 0xFF) << 8 | (bytes[at] & 0xFF)]++;
        }
    }

    /**
     * Two bytes that follow each other.
     *
     * @param mask what is set in both before they are compared: the bit that tells small letters from capitals, or
     *     nothing
     */
    record Pair(int mask, int first, int second) {}

    int count(Pair pair) {
        int both = pair.first() << 8 | pair.second();
        int first = pair.mask() << 8;
        int second = pair.mask();
        return pair.mask() == 0
                ? counts[both]
                : counts[both] + counts[both ^ first] + counts[both ^ second] + counts[both ^ first ^ second];
    }
}
