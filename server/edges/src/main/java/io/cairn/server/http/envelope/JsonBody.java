package io.cairn.server.http.envelope;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the records that answers are made of, member by member in the order of their components, and reads those of other nodes. For
 * endpoints that are asked seldom; those that are asked often keep ready bytes. Thread-safe.
 */
public final class JsonBody {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private JsonBody() {}

    private record Enveloped(
            int code, @Nullable String message, @Nullable Object data) {}

    /** A record, a list or a map as JSON. */
    public static byte[] of(Object data) {
        return MAPPER.writeValueAsBytes(data);
    }

    /** A list of records as JSON text, for another node. */
    public static String ofRows(List<?> rows) {
        return MAPPER.writeValueAsString(rows);
    }

    /**
     * The list of records that another node has sent. Members that this release does not know are passed
     * over; those that the other node does not know are 0, false or null.
     *
     * @throws JacksonException when the text is no such list
     */
    public static <R> List<R> rows(String json, Class<R> type) {
        return MAPPER.readerForListOf(type).readValue(json);
    }

    /** The envelope of version 1 and of accounts, whose codes and messages each endpoint has for itself. */
    public static byte[] enveloped(int code, @Nullable String message, @Nullable Object data) {
        return of(new Enveloped(code, message, data));
    }
}
