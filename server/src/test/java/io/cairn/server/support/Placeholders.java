package io.cairn.server.support;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Compares what a server answers with what was recorded. A placeholder of the recording stands for any value of its kind;
 * a numbered one for the same value wherever it stands.
 */
public final class Placeholders {

    private static final Pattern PLACEHOLDER = Pattern.compile("<([a-zA-Z-]+)([0-9]*)>");
    private static final Map<String, Pattern> KINDS = Map.of(
            "req", Pattern.compile("[0-9]+"),
            "id", Pattern.compile("[0-9]{1,19}"),
            "connId", Pattern.compile("[0-9]{13}_[0-9.]+_[0-9]+"),
            "serverIp", Pattern.compile("[0-9.]+"),
            "time", Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\+00:00"),
            "http-date",
                    Pattern.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"));

    private final Map<String, String> values = new HashMap<>();

    /** Where the actual value differs from the recorded one; empty when nowhere. Fields must stand in the same order. */
    public List<String> differences(JsonNode recorded, JsonNode actual) {
        List<String> differences = new ArrayList<>();
        compare("", recorded, actual, differences);
        return differences;
    }

    private void compare(String where, JsonNode recorded, JsonNode actual, List<String> differences) {
        if (recorded.isObject() && actual.isObject()) {
            List<String> names = List.copyOf(recorded.propertyNames());
            List<String> actualNames = List.copyOf(actual.propertyNames());
            if (!names.equals(actualNames)) {
                differences.add(where + ": fields " + actualNames + " (recorded: " + names + ")");
                return;
            }
            names.forEach(name -> compare(where + '/' + name, recorded.get(name), actual.get(name), differences));
        } else if (recorded.isArray() && actual.isArray() && recorded.size() == actual.size()) {
            for (int i = 0; i < recorded.size(); i++) {
                compare(where + '/' + i, recorded.get(i), actual.get(i), differences);
            }
        } else if (recorded.isString() && recorded.asString().equals("<ts>")) {
            if (!actual.isIntegralNumber() || actual.asLong() < 1_000_000_000_000L) {
                differences.add(where + ": " + actual + " (recorded: epoch milliseconds)");
            }
        } else if (recorded.isString() && recorded.asString().equals("<float>")) {
            if (!actual.isFloatingPointNumber()) {
                differences.add(where + ": " + actual + " (recorded: a number with a fraction)");
            }
        } else if (recorded.isString() && actual.isString()) {
            if (!sameText(recorded.asString(), actual.asString())) {
                differences.add(where + ": " + actual + " (recorded: " + recorded + ")");
            }
        } else if (!recorded.equals(actual)) {
            differences.add(where + ": " + actual + " (recorded: " + recorded + ")");
        }
    }

    /** Whether a text is the recorded one, or of the kind of the placeholder that was recorded. */
    public boolean sameText(String recorded, String actual) {
        Matcher placeholder = PLACEHOLDER.matcher(recorded);
        Pattern kind = placeholder.matches() ? KINDS.get(placeholder.group(1)) : null;
        if (kind == null) {
            return recorded.equals(actual);
        }
        if (!kind.matcher(actual).matches()) {
            return false;
        }
        if (placeholder.group(2).isEmpty()) {
            return true;
        }
        String known = values.get(recorded);
        if (known == null) {
            boolean isNew = !values.containsValue(actual);
            values.put(recorded, actual);
            return isNew;
        }
        return known.equals(actual);
    }

    /** A text to send: its placeholders as the values that the server gave them, or as new ones. */
    public String filled(String recorded) {
        return PLACEHOLDER.matcher(recorded).replaceAll(found -> {
            String known = values.get(found.group());
            if (known != null) {
                return known;
            }
            return switch (found.group(1)) {
                case "ts" -> Long.toString(System.currentTimeMillis());
                case "md5" -> "0123456789abcdef0123456789abcdef";
                case "jwt" -> "AUTH_DISABLED";
                default -> Matcher.quoteReplacement(found.group());
            };
        });
    }
}
