package io.cairn.server.naming.health;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON form as Nacos clients write it; GRPC is Cairn's addition. */
final class HealthCheckJson {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
    private static final int MAX_LENGTH = 32 * 1024;

    private HealthCheckJson() {}

    static HealthCheck read(String json) {
        JsonNode node = parse(json);
        HealthCheck.Type type = type(node);
        return switch (type) {
            case TCP -> HealthCheck.TCP;
            case NONE -> HealthCheck.NONE;
            case HTTP ->
                new HealthCheck.Http(
                        text(node, "path", ""),
                        text(node, "headers", ""),
                        number(node, "expectedResponseCode", HealthCheck.Http.DEFAULT_RESPONSE_CODE));
            case MYSQL ->
                new HealthCheck.Mysql(
                        text(node, "user", null),
                        text(node, "pwd", null),
                        text(node, "cmd", HealthCheck.Mysql.DEFAULT_COMMAND));
            case GRPC -> new HealthCheck.Grpc(text(node, "service", ""));
        };
    }

    static String write(HealthCheck check) {
        ObjectNode node = JSON.createObjectNode().put("type", check.type().name());
        if (check instanceof HealthCheck.Http http) {
            node.put("path", http.path())
                    .put("headers", http.headers())
                    .put("expectedResponseCode", http.expectedResponseCode());
        } else if (check instanceof HealthCheck.Mysql mysql) {
            node.put("user", mysql.user()).put("pwd", mysql.password()).put("cmd", mysql.command());
        } else if (check instanceof HealthCheck.Grpc grpc) {
            node.put("service", grpc.service());
        }
        return JSON.writeValueAsString(node);
    }

    private static JsonNode parse(String json) {
        if (json.length() > MAX_LENGTH) {
            throw refused("healthChecker: " + json.length() + " characters (expected: " + MAX_LENGTH + " at most)");
        }
        JsonNode node;
        try {
            node = JSON.readTree(json);
        } catch (JacksonException e) {
            // Neither its text nor the exception itself: both may repeat a password.
            throw refused("healthChecker: not valid JSON at column "
                    + e.getLocation().getColumnNr() + " (expected: an object such as {\"type\":\"TCP\"})");
        }
        if (!node.isObject()) {
            throw refused("healthChecker: no JSON object (expected: an object such as {\"type\":\"TCP\"})");
        }
        return node;
    }

    private static HealthCheck.Type type(JsonNode node) {
        JsonNode name = node.path("type");
        for (HealthCheck.Type type : HealthCheck.Type.values()) {
            if (name.isString() && type.name().equals(name.asString())) {
                return type;
            }
        }
        String seen = name.isString() ? name.asString() : name.isMissingNode() || name.isNull() ? "missing" : "no text";
        throw refused("type: " + seen + " (expected: one of " + Arrays.toString(HealthCheck.Type.values()) + ')');
    }

    /** @param absent the value of a missing field; null if required */
    private static String text(JsonNode node, String name, @Nullable String absent) {
        JsonNode value = node.path(name);
        if (value.isString()) {
            return value.asString();
        }
        boolean missing = value.isMissingNode() || value.isNull();
        if (missing && absent != null) {
            return absent;
        }
        throw refused(name + ": " + (missing ? "missing" : "no text") + " (expected: a text)");
    }

    private static int number(JsonNode node, String name, int absent) {
        JsonNode value = node.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return absent;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw refused(name + ": no whole number (expected: a whole number)");
        }
        return value.asInt();
    }

    private static CairnException refused(String message) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, message);
    }
}
