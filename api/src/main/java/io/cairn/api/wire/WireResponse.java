package io.cairn.api.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds answers. Each carries {@code resultCode}, {@code errorCode} and {@code success} together, because clients of
 * different languages trust different ones of them.
 */
public final class WireResponse {

    private static final byte[] OK = start(64).flag("success", true).toBytes();

    private WireResponse() {}

    /** A success without further fields. */
    public static Payload ok(String type) {
        return ok(type, Map.of());
    }

    /** A success without further fields, with headers. */
    public static Payload ok(String type, Map<String, String> headers) {
        return Payload.of(type, null, headers, OK);
    }

    /** The beginning of a success with more fields; to be ended with {@code flag("success", true)}. */
    public static JsonOutput start(int expectedBytes) {
        return start(new JsonOutput(expectedBytes));
    }

    /** As {@link #start(int)}, with an output that has nothing in it yet. */
    public static JsonOutput start(JsonOutput out) {
        return out.number("resultCode", WireError.RESULT_OK).number("errorCode", 0);
    }

    /** A failure in the answer type of the request, with the fields that the type always has. */
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

    /** An {@code ErrorResponse}, for requests that no handler has answered. */
    public static Payload error(int errorCode, String message) {
        return failed(MessageCatalog.ERROR_RESPONSE, errorCode, message, null);
    }

    /** An {@code ErrorResponse} for a handler that failed: both codes are the failure's. */
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

    /** Writes the fields that an answer type has besides the common ones. */
    @FunctionalInterface
    public interface FieldsOfType {
        void write(JsonOutput out);
    }
}
