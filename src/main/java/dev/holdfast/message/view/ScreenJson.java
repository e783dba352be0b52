package dev.holdfast.message.view;

import dev.holdfast.task.TerminalScreen;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

@Schema(name = "Screen", description = "A terminal's screen as a person would see it")
public record ScreenJson(
        @Schema(examples = "40") int rows,
        @Schema(examples = "120") int cols,
        Cursor cursor,

        @Schema(
                description = "As many as rows, from the top, without blanks at their ends",
                examples = "[\"$ ls\", \"README.md  src\", \"$\"]")
        List<String> lines,

        @Schema(description = "What the program called its window; empty when it did not", examples = "vim README.md")
        String title,

        @Schema(description = "Whether it is the screen that editors and pagers draw on, and leave in the end")
        boolean alternateScreen) {

    @Schema(name = "ScreenCursor", description = "Where the next character goes, from 0")
    public record Cursor(
            @Schema(examples = "2") int row,
            @Schema(examples = "2") int col,
            boolean visible) {}

    public static ScreenJson of(TerminalScreen screen) {
        return new ScreenJson(
                screen.size().rows(),
                screen.size().cols(),
                new Cursor(screen.cursorRow(), screen.cursorCol(), screen.cursorVisible()),
                screen.lines(),
                screen.title(),
                screen.alternate());
    }
}
