package dev.holdfast.render;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which ports a command may have failed for, by what it printed last. Whether they are taken, a text does not tell. */
public final class BusyPorts {
    private static final Pattern TOLD = Pattern.compile(
            "EADDRINUSE|\\b(address|port)\\b.{0,40}\\b(already|is|was) (in use|allocated|bound)",
            Pattern.CASE_INSENSITIVE);
    /** No part of a word, an address or a decimal. */
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])(\\d{1,5})(?!\\w|\\.\\d)");

    private static final Pattern NAMED = Pattern.compile("(?:\\bport\\W{0,4}|:)(\\d{1,5})(?!\\w|\\.\\d)");
    private static final int MAX_PORT = 65_535;

    private BusyPorts() {}

    /**
     * The likeliest first: those in the lines that tell of an address in use, those that other lines call a port, and
     * at last those in the command's own text, since some programs do not say which it was.
     *
     * @param output its last lines
     * @return empty when they tell of no address in use
     */
    public static Collection<Integer> in(String output, String command) {
        List<String> lines = output.lines().toList().reversed();
        List<String> told =
                lines.stream().filter(line -> TOLD.matcher(line).find()).toList();
        Collection<Integer> ports = new LinkedHashSet<>();
        if (!told.isEmpty()) {
            // From the right: in front stand times.
            told.forEach(line -> ports.addAll(found(NUMBER, line).reversed()));
            lines.forEach(line -> ports.addAll(found(NAMED, line)));
            ports.addAll(found(NUMBER, command));
        }
        return ports;
    }

    private static List<Integer> found(Pattern pattern, String line) {
        List<Integer> numbers = new ArrayList<>();
        Matcher matcher = pattern.matcher(line);
        while (matcher.find()) {
            int number = Integer.parseInt(matcher.group(1));
            if (number > 0 && number <= MAX_PORT) {
                numbers.add(number);
            }
        }
        return numbers;
    }
}
