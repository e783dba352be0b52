package dev.holdfast.keeper.screen;

import java.util.ArrayList;
import java.util.List;

/**
 * How a character looks: what SGR sets. Colours are kept as they were given.
 *
 * @param flags a bit for each of SGR 1 to 9
 * @param foreground {@link #OF_PALETTE} and its number, or {@link #OF_PARTS} and red, green and blue; 0: the usual one
 * @param background the same
 */
record Style(int flags, int foreground, int background) {
    static final Style PLAIN = new Style(0, 0, 0);

    private static final int OF_PALETTE = 1 << 24;
    private static final int OF_PARTS = 2 << 24;
    private static final int COLOUR_BITS = 26;
    private static final int COLOUR = (1 << COLOUR_BITS) - 1;

    private static final int CONCEALED = 1 << 8;
    private static final int BOLD_AND_FAINT = 1 << 1 | 1 << 2;
    /** What is seen on a blank: underlined, inverse, struck through. */
    private static final int SEEN_ON_BLANK = 1 << 4 | 1 << 7 | 1 << 9;

    /** All of it; 0 for {@link #PLAIN}. */
    long packed() {
        return ((((long) flags << COLOUR_BITS) | foreground) << COLOUR_BITS) | background;
    }

    static Style unpacked(long packed) {
        int flags = (int) (packed >>> (2 * COLOUR_BITS));
        return packed == 0 ? PLAIN : new Style(flags, (int) (packed >>> COLOUR_BITS) & COLOUR, (int) packed & COLOUR);
    }

    /** Of what is erased with it. */
    Style erased() {
        return background == 0 ? PLAIN : new Style(0, 0, background);
    }

    boolean isConcealed() {
        return (flags & CONCEALED) != 0;
    }

    /** Without what is not seen on a blank. */
    Style onBlank() {
        int seen = flags & SEEN_ON_BLANK;
        return seen == flags && foreground == 0 ? this : new Style(seen, seen == 0 ? 0 : foreground, background);
    }

    /** What sets it, whatever was set before. */
    String escape() {
        StringBuilder text = new StringBuilder("\033[0");
        for (int flag = 1; flag <= 9; flag++) {
            if ((flags & 1 << flag) != 0) {
                text.append(';').append(flag);
            }
        }
        return text.append(colour(";38", foreground))
                .append(colour(";48", background))
                .append('m')
                .toString();
    }

    private static String colour(String which, int colour) {
        return switch (colour & ~0xffffff) {
            case OF_PALETTE -> which + ";5;" + (colour & 0xff);
            case OF_PARTS ->
                which + ";2;" + ((colour >> 16) & 0xff) + ";" + ((colour >> 8) & 0xff) + ";" + (colour & 0xff);
            default -> "";
        };
    }

    /** @param text the parameters of an SGR */
    Style with(String text) {
        if (text.isEmpty() || text.equals("0")) {
            return PLAIN;
        }
        Style style = this;
        String[] groups = text.split(";", -1);
        for (int at = 0; at < groups.length; at++) {
            List<Integer> group = numbers(groups[at]);
            boolean colour = group.getFirst() == 38 || group.getFirst() == 48;
            if (colour && group.size() == 1 && at + 1 < groups.length) {
                int count = groups[at + 1].equals("5") ? 2 : groups[at + 1].equals("2") ? 4 : 1;
                for (int last = Math.min(groups.length - 1, at + count); at < last; ) {
                    group.add(numbers(groups[++at]).getFirst());
                }
            }
            style = colour ? style.coloured(group) : style.with(group);
        }
        return style;
    }

    private static List<Integer> numbers(String group) {
        List<Integer> numbers = new ArrayList<>();
        for (String number : group.split(":", -1)) {
            numbers.add(Parameters.number(number));
        }
        return numbers;
    }

    private Style coloured(List<Integer> group) {
        int size = group.size();
        int kind = size > 1 ? group.get(1) : 0;
        int from = kind == 2 && size > 5 ? 3 : 2; // with colons a colour space may stand before the colour
        int count = kind == 2 ? 3 : 1;
        if ((kind != 2 && kind != 5) || size < from + count) {
            return this;
        }
        int colour = kind == 2 ? 2 : 1; // and three bytes behind it, of which one of the palette has the last
        for (int at = from + count - 3; at < from + count; at++) {
            colour = (colour << 8) | (at < from ? 0 : Math.min(group.get(at), 255));
        }
        return group.getFirst() == 38 ? new Style(flags, colour, background) : new Style(flags, foreground, colour);
    }

    private Style with(List<Integer> group) {
        int number = group.getFirst();
        return switch (number) {
            case 0 -> PLAIN;
            case 1, 2, 3, 5, 7, 8, 9 -> flagged(flags | (1 << number));
            case 4 -> flagged(group.size() > 1 && group.get(1) == 0 ? flags & ~(1 << 4) : flags | (1 << 4));
            case 6 -> flagged(flags | 1 << 5);
            case 21 -> flagged(flags | 1 << 4);
            case 22 -> flagged(flags & ~BOLD_AND_FAINT);
            case 23, 24, 25, 27, 28, 29 -> flagged(flags & ~(1 << (number - 20)));
            case 39 -> new Style(flags, 0, background);
            case 49 -> new Style(flags, foreground, 0);
            default -> inPalette(number);
        };
    }

    private Style inPalette(int number) {
        int bright = number >= 90 ? 8 : 0;
        int base = bright == 0 ? 30 : 90;
        if (number >= base && number < base + 8) {
            return new Style(flags, OF_PALETTE | (number - base + bright), background);
        }
        if (number >= base + 10 && number < base + 18) {
            return new Style(flags, foreground, OF_PALETTE | (number - base - 10 + bright));
        }
        return this;
    }

    private Style flagged(int changed) {
        return new Style(changed, foreground, background);
    }
}
