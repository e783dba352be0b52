package dev.holdfast.keeper.screen;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A screen as it was at one moment.
 *
 * @param cursorRow from 0, as the column
 * @param lines as many as rows, without blanks at their ends
 * @param usedAlternate whether the other screen was ever shown
 * @param whole whether nothing has left the usual screen by scrolling, or since it shrank
 * @param paint the escapes that draw it on a terminal of this size that was just switched on
 */
public record Picture(
        int rows,
        int cols,
        int cursorRow,
        int cursorCol,
        boolean cursorVisible,
        List<String> lines,
        String title,
        boolean alternateScreen,
        boolean usedAlternate,
        boolean whole,
        String paint) {
    /** The names in {@link #fields}, beside those of the REST answer. */
    public static final String USED_ALTERNATE = "used_alternate";

    public static final String WHOLE = "whole";
    public static final String PAINT = "paint";

    /** As it is told and kept: in the words of the REST answer, and more. */
    public Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> cursor = new LinkedHashMap<>();
        cursor.put("row", (long) cursorRow);
        cursor.put("col", (long) cursorCol);
        cursor.put("visible", cursorVisible);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("rows", (long) rows);
        fields.put("cols", (long) cols);
        fields.put("cursor", cursor);
        fields.put("lines", lines);
        fields.put("title", title);
        fields.put("alternate_screen", alternateScreen);
        fields.put(USED_ALTERNATE, usedAlternate);
        fields.put(WHOLE, whole);
        fields.put(PAINT, paint);
        return fields;
    }
}
