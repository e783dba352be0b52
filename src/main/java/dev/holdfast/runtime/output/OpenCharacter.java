package dev.holdfast.runtime.output;

/** A character of UTF-8 that the end of some bytes cuts in two. */
final class OpenCharacter {
    private static final int LONGEST = 4;

    private OpenCharacter() {}

    /** How many bytes at the end begin a character that is not complete, 0 to 3. */
    static int bytesAtEnd(byte[] bytes) {
        for (int back = 1; back < LONGEST && back <= bytes.length; back++) {
            int b = bytes[bytes.length - back] & 0xff;
            if (b >= 0xc0) {
                return length(b) > back ? back : 0;
            }
            if (b < 0x80) {
                return 0;
            }
        }
        return 0;
    }

    private static int length(int lead) {
        if (lead >= 0xf0) {
            return lead < 0xf5 ? 4 : 1;
        }
        return lead >= 0xe0 ? 3 : 2;
    }
}
