package io.cairn.api.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds responses. Each contains {@code resultCode}, {@code errorCode} and {@code success}, because clients rely on different fields.
 */
public final class WireResponse {

    private static final byte[] OK = start(64).flag("success", true).toBytes();

    private WireResponse() {}

    public static Payload ok(String type) {
        return ok(type, Map.of());
    }

    public static Payload ok(String type, Map<String, String> headers) {
        return Payload.of(type, null, headers, OK);
    }

    /** Begins a success with further fields; the caller ends it with {@code flag("success", true)}. */
    public static JsonOutput start(int expectedBytes) {
        return start(new JsonOutput(expectedBytes));
    }

    public static JsonOutput start(JsonOutput out) {
        return out.number("resultCode", WireError.RESULT_OK).number("errorCode", 0);
    }

    /** A failure in the response type of the request, with the fields of that type. */
    public static Payload failed(String type, int errorCode, String message, @Nullable FieldsOfType fields) {
        JsonOutput out = new JsonOutput(128 + message.length())
                .number("resultCode", WireError.RESULT_FAILED)
                .number("errorCode", errorCode)
                .text("message", message);
        if (fields != null) {
            fields.write(out);
        }
        return Payload.of(type, out.flag("success", false).toBytes());
    }

    /** An {@code ErrorResponse} for requests without a handler. */
    public static Payload error(int errorCode, String message) {
        return failed(MessageCatalog.ERROR_RESPONSE, errorCode, message, null);
    }

    /** An {@code ErrorResponse} for a failed handler; both codes are the failure's. */
    public static Payload handlerError(int code, String message) {
        return Payload.of(
                MessageCatalog.ERROR_RESPONSE,
                new JsonOutput(128 + message.length())
                        .number("resultCode", code)
                        .number("errorCode", code)
                        .text("message", message)
                        .flag("success", false)
                        .toBytes());
    }

    @FunctionalInterface
    public interface FieldsOfType {
        void write(JsonOutput out);
    }
}
