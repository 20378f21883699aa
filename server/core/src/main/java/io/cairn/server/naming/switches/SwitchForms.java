package io.cairn.server.naming.switches;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.naming.health.HealthCheckSettings;
import io.cairn.server.naming.switches.Switches.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads and writes values of switches, with Nacos's texts for refusals. */
final class SwitchForms {

    private static final int MAX_CHECK_TIMES = 100;

    private SwitchForms() {}

    static CairnException invalid(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    static boolean flag(String name, String text) {
        String value = text.trim();
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw invalid(name + ": '" + text + "' (expected: true or false)");
        }
        return Boolean.parseBoolean(value);
    }

    static double threshold(String text) {
        double threshold;
        try {
            threshold = Double.parseDouble(text.trim());
        } catch (NumberFormatException e) {
            throw invalid("For input string: \"" + text + '"');
        }
        if (!(threshold > 0)) {
            throw invalid("distroThreshold can not be zero or negative: " + text);
        }
        return threshold;
    }

    static long checkTimes(String text) {
        long times = atLeast(text, 1, "healthCheckTimes is too small(<1)");
        if (times > MAX_CHECK_TIMES) {
            throw invalid("healthCheckTimes is too large(>" + MAX_CHECK_TIMES + ")");
        }
        return times;
    }

    static long atLeast(String text, long min, String otherwise) {
        long number;
        try {
            number = Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw invalid("For input string: \"" + text + '"');
        }
        if (number < min) {
            throw invalid(otherwise);
        }
        return number;
    }

    static HealthCheckSettings.Interval interval(String text) {
        try {
            return JsonInput.read(text, in -> {
                int max = 0;
                int min = 0;
                double factor = -1;
                for (String name = in.nextField(); name != null; name = in.nextField()) {
                    switch (name) {
                        case "max" -> max = in.number(0);
                        case "min" -> min = in.number(0);
                        case "factor" -> factor = in.decimal(-1);
                        default -> in.skip();
                    }
                }
                return new HealthCheckSettings.Interval(Duration.ofMillis(max), Duration.ofMillis(min), factor);
            });
        } catch (MalformedMessageException | IllegalArgumentException e) {
            throw invalid("'" + text + "': " + e.getMessage()
                    + " (expected: a JSON object with max and min in ms and a factor of 0-1)");
        }
    }

    static List<String> list(String text) {
        List<String> parts = new ArrayList<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                parts.add(part.trim());
            }
        }
        return List.copyOf(parts);
    }

    /** Pairs of path prefix and status, {@code /path:502,/other:403}. */
    static Map<String, Integer> limits(String text) {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (String entry : list(text)) {
            int colon = entry.lastIndexOf(':');
            String url = colon < 0 ? "" : entry.substring(0, colon);
            long status = colon < 0 ? 0 : atLeast(entry.substring(colon + 1), 400, "illegal return code: " + entry);
            if (!url.startsWith("/") || status > 599) {
                throw invalid("limitedUrlMap: '" + entry + "' (expected: a path, a colon and a status of 400-599)");
            }
            limits.put(url, (int) status);
        }
        return Map.copyOf(limits);
    }

    static Optional<ServerStatus> status(String text) {
        String name = text.trim().toUpperCase(Locale.ROOT);
        if (name.isEmpty() || name.equals("NULL")) {
            return Optional.empty();
        }
        for (ServerStatus status : ServerStatus.values()) {
            if (status.name().equals(name)) {
                return Optional.of(status);
            }
        }
        throw invalid("overriddenServerStatus: '" + text + "' (expected: one of " + List.of(ServerStatus.values())
                + ", or nothing)");
    }

    /** Of {@code language:version}. */
    static String version(String text) {
        int colon = text.indexOf(':');
        String version = colon < 0 ? "" : text.substring(colon + 1);
        if (!version.matches("[0-9]+\\.[0-9]+\\.[0-9]+")) {
            throw invalid("illegal version, must match: [0-9]+\\.[0-9]+\\.[0-9]+");
        }
        return version;
    }

    static void writeList(JsonOutput out, String name, List<String> list) {
        if (list.isEmpty()) {
            out.json(name, "null");
        } else {
            out.textList(name, list);
        }
    }

    static void writeInterval(JsonOutput out, String name, HealthCheckSettings.Interval interval) {
        out.json(
                name,
                new JsonOutput(64)
                        .number("max", interval.max().toMillis())
                        .number("min", interval.min().toMillis())
                        .decimal("factor", interval.factor())
                        .toBytes());
    }

    static void writeStatus(JsonOutput out, String name, Optional<ServerStatus> status) {
        if (status.isEmpty()) {
            out.json(name, "null");
        } else {
            out.text(name, status.get().name());
        }
    }

    static void writeLimits(JsonOutput out, String name, Map<String, Integer> limits) {
        // A path is no field name, so it is written as an escaped one.
        StringBuilder json = new StringBuilder("{");
        limits.forEach((url, status) -> json.append(json.length() > 1 ? "," : "")
                .append(quoted(url))
                .append(':')
                .append(status));
        out.json(name, json.append('}').toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String quoted(String text) {
        String object =
                new String(new JsonOutput(text.length() + 16).text("k", text).toBytes(), StandardCharsets.UTF_8);
        return object.substring("{\"k\":".length(), object.length() - 1);
    }
}
