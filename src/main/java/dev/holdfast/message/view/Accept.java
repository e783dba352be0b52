package dev.holdfast.message.view;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What form of an answer an {@code Accept} header asks for. JSON unless another form is named and preferred. */
public enum Accept {
    JSON("application/json"),
    TEXT("text/plain"),
    BYTES("application/octet-stream"),
    ANSI("application/x-ansi");

    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern QUALITY = Pattern.compile(";\\s*q\\s*=\\s*([01](?:\\.[0-9]{0,3})?)");

    private final String type;

    Accept(String type) {
        this.type = type;
    }

    /** The best of {@code offered} that the header names, JSON when it names none; of equals the first named. */
    public static Accept of(@Nullable String header, Accept... offered) {
        if (header == null || header.isEmpty()) {
            return JSON;
        }
        Accept best = JSON;
        double bestQuality = 0;
        List<Accept> allowed =
                Stream.concat(Stream.of(JSON), Stream.of(offered)).toList();
        for (String range : COMMA.splitAsStream(header.toLowerCase(Locale.ROOT)).toList()) {
            double quality = quality(range);
            Accept named = named(range, allowed).orElse(null);
            if (named != null && quality > bestQuality) {
                best = named;
                bestQuality = quality;
            }
        }
        return best;
    }

    private static Optional<Accept> named(String range, List<Accept> allowed) {
        int end = range.indexOf(';');
        String type = (end < 0 ? range : range.substring(0, end)).strip();
        return allowed.stream().filter(accept -> accept.type.equals(type)).findFirst();
    }

    private static double quality(String range) {
        var matcher = QUALITY.matcher(range);
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : 1;
    }
}
