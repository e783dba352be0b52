package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measured values, a row a figure: what a bare shell needs, where it can do the same, and what the server needs. */
final class Figures {
    private final Map<String, List<Double>> shell = new LinkedHashMap<>();
    private final Map<String, List<Double>> server = new LinkedHashMap<>();

    void shell(String figure, double value) {
        shell.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    }

    void server(String figure, double value) {
        server.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    }

    /** The value below which that share of them lies. */
    static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
    }

    /** A Markdown table of medians. */
    String table() {
        var table = new StringBuilder("| figure | bare shell | Holdfast |\n| --- | ---: | ---: |\n");
        for (var figure : server.entrySet()) {
            List<Double> bare = shell.getOrDefault(figure.getKey(), List.of());
            table.append("| ").append(figure.getKey()).append(" | ");
            table.append(bare.isEmpty() ? "" : median(bare)).append(" | ");
            table.append(median(figure.getValue())).append(" |\n");
        }
        return table.toString();
    }

    private static String median(List<Double> values) {
        double median =
                quantile(values.stream().mapToDouble(Double::doubleValue).toArray(), 0.5);
        return String.format(Locale.ROOT, median >= 100 ? "%.0f" : "%.2f", median);
    }
}
