package dev.holdfast.tool.codex;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeadTailTest {
    private static HeadTail withGap(int budget) {
        HeadTail text = new HeadTail(budget);
        text.add("one\ntw");
        text.leaveOut(4000);
        text.add("six\nseven\n");
        return text;
    }

    @Test
    void whatIsNotKeptIsNamedAndCounted() {
        HeadTail text = withGap(1000);

        assertThat(text.text()).isEqualTo("""
                        one
                        tw
                        … 4000 bytes left out …
                        six
                        seven
                        """);
        assertThat(text.chars()).isEqualTo(4017);
    }

    /** With that part, so that nobody knows how many lines there were. */
    @Test
    void whatIsCutCountsItOnce() {
        assertThat(withGap(8).text()).isEqualTo("""
                        Warning: truncated output (original token count: 1005)

                        one
                        …1003 tokens truncated…ven
                        """);
        assertThat(withGap(20).text()).isEqualTo("""
                        Warning: truncated output (original token count: 1005)

                        one
                        tw
                        … 4…1000 tokens truncated…six
                        seven
                        """);
    }

    @Test
    void whatIsThereIsCountedWithItsLines() {
        HeadTail text = new HeadTail(8);
        text.add("one\ntwo\nthree\n");

        assertThat(text.text()).isEqualTo("""
                        Warning: truncated output (original token count: 4)
                        Total output lines: 3

                        one
                        …2 tokens truncated…ree
                        """);
    }
}
