package io.cairn.server.http.envelope;

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

    /** A record, a list or a map as JSON. */
    public static byte[] of(Object data) {
        return MAPPER.writeValueAsBytes(data);
    }
}
