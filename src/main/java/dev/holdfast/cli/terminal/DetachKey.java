package dev.holdfast.cli.terminal;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * What is pressed to leave a terminal. It never reaches the task.
 *
 * @param code what a terminal sends for it
 */
public record DetachKey(byte code) {
    public static final String USUAL = "ctrl-]";
    private static final int CONTROL = 0x1F;

    /** Reads {@code ctrl-]}, {@code ctrl-a}, {@code ^a} and a character alone. */
    public static final class Converter implements ITypeConverter<DetachKey> {
        @Override
        public DetachKey convert(String text) {
            String key = text.toLowerCase(Locale.ROOT).replaceFirst("^(ctrl-|\\^)(?=.)", "");
            boolean control = key.length() < text.length();
            boolean fits = key.length() == 1 && (control ? key.matches("[a-z\\[\\]\\\\^_@]") : key.matches("[!-~]"));
            if (!fits) {
                throw new TypeConversionException("'" + text + "' is no key: write ctrl-] or ctrl-a");
            }
            int code = control ? Character.toUpperCase(key.charAt(0)) & CONTROL : text.charAt(0);
            return new DetachKey((byte) code);
        }
    }
}
