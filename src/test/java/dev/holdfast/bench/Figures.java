package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measured values, a row a figure, and a column for each thing that was measured. */
final class Figures {
    private static final String SHELL = "bare shell";
    private static final String SERVER = "Holdfast";

    private final List<String> columns;
    private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();

    /** What a bare shell needs, where it can do the same, and what the server needs. */
    Figures() {
        this(List.of(SHELL, SERVER));
    }

    Figures(List<String> columns) {
        this.columns = columns;
    }

    void shell(String figure, double value) {
        add(figure, SHELL, value);
    }

    void server(String figure, double value) {
        add(figure, SERVER, value);
    }

    void add(String figure, String column, double value) {
        figures.computeIfAbsent(figure, _ -> new HashMap<>())
                .computeIfAbsent(column, _ -> new ArrayList<>())
                .add(value);
    }

    /** The value below which that share of them lies. */
    static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
    }

    /** A Markdown table of medians. */
    String table() {
        var table = new StringBuilder("| figure | " + String.join(" | ", columns) + " |\n| --- |");
        columns.forEach(_ -> table.append(" ---: |"));
        figures.forEach((figure, values) -> {
            table.append("\n| ").append(figure).append(" |");
            for (String column : columns) {
                List<Double> measured = values.getOrDefault(column, List.of());
                table.append(' ')
                        .append(measured.isEmpty() ? "" : median(measured))
                        .append(" |");
            }
        });
        return table.append('\n').toString();
    }

    private static String median(List<Double> values) {
        double median =
                quantile(values.stream().mapToDouble(Double::doubleValue).toArray(), 0.5);
        return String.format(Locale.ROOT, median >= 100 ? "%.0f" : "%.2f", median);
    }
}
