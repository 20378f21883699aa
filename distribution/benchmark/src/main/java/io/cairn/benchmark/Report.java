package io.cairn.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;

/** The figures of a run in display order; a name contains its unit. */
final class Report {
    private static final double NANOS_PER_MICRO = 1_000;

    private final Map<String, Object> figures = new LinkedHashMap<>();
    private final List<String> reasons = new ArrayList<>();

    void put(String name, double value) {
        figures.put(name, value);
    }

    void put(String name, long value) {
        figures.put(name, value);
    }

    void put(String name, String value) {
        figures.put(name, value);
    }

    /** Mean, median, 95th and 99th percentile and maximum in microseconds. */
    void putLatency(String name, AbstractHistogram nanos) {
        put(name + "_mean_us", nanos.getMean() / NANOS_PER_MICRO);
        put(name + "_p50_us", nanos.getValueAtPercentile(50) / NANOS_PER_MICRO);
        put(name + "_p95_us", nanos.getValueAtPercentile(95) / NANOS_PER_MICRO);
        put(name + "_p99_us", nanos.getValueAtPercentile(99) / NANOS_PER_MICRO);
        put(name + "_max_us", nanos.getMaxValue() / NANOS_PER_MICRO);
    }

    /** A figure that should be zero; the run has failed when it is not. */
    void putFailures(String name, long count) {
        put(name, count);
        if (count > 0) {
            reasons.add(name + ' ' + shown(count));
        }
    }

    /** Records that the run ended before it had all figures. */
    void putFailure(String reason) {
        put("failed", reason);
        reasons.add(reason);
    }

    void putAll(String prefix, Report other) {
        other.figures.forEach((name, value) -> figures.put(prefix + name, value));
        other.reasons.forEach(reason -> reasons.add(prefix + reason));
    }

    /** A figure in the format of the table; empty when there is no figure of that name. */
    String shown(String name) {
        Object value = figures.get(name);
        return value == null ? "" : shown(value);
    }

    boolean failed() {
        return !reasons.isEmpty();
    }

    /** The failures; empty when there are none. */
    List<String> reasons() {
        return List.copyOf(reasons);
    }

    String table() {
        int width = figures.keySet().stream().mapToInt(String::length).max().orElse(0);
        var text = new StringBuilder();
        figures.forEach((name, value) -> text.append(name)
                .append(" ".repeat(width - name.length() + 2))
                .append(shown(value))
                .append('\n'));
        return text.toString();
    }

    private static String shown(Object value) {
        if (value instanceof Double number) {
            return String.format(Locale.ROOT, Math.abs(number) >= 1000 ? "%,.0f" : "%.2f", number);
        }
        return value instanceof Long number ? String.format(Locale.ROOT, "%,d", number) : value.toString();
    }

    String json() {
        var text = new StringBuilder("{");
        figures.forEach((name, value) -> text.append(text.length() == 1 ? "" : ",")
                .append(quoted(name))
                .append(':')
                .append(jsonOf(value)));
        return text.append("}").toString();
    }

    private static String jsonOf(Object value) {
        if (value instanceof Double number) {
            return Double.isFinite(number) ? String.format(Locale.ROOT, "%.3f", number) : "null";
        }
        return value instanceof Long ? value.toString() : quoted(value.toString());
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
