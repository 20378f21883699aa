package io.cairn.server.http.envelope;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the records that answers are made of, member by member in the order of their components. For endpoints that are asked
 * seldom; those that are asked often keep ready bytes. Thread-safe.
 */
public final class JsonBody {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private JsonBody() {}

    private record Enveloped(
            int code, @Nullable String message, @Nullable Object data) {}

    /** A record, a list or a map as JSON. */
    public static byte[] of(Object data) {
        return MAPPER.writeValueAsBytes(data);
    }

    /** The envelope of version 1 and of accounts, whose codes and messages each endpoint has for itself. */
    public static byte[] enveloped(int code, @Nullable String message, @Nullable Object data) {
        return of(new Enveloped(code, message, data));
    }
}
