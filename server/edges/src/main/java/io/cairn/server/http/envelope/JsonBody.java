package io.cairn.server.http.envelope;

import io.cairn.api.error.CairnException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes the records of answers, member by member in component order, and reads other nodes' records. For rare requests; answers
 * to frequent requests are cached as bytes. {@link JsonText} makes a response.
 */
public final class JsonBody {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .addModule(new SimpleModule().addSerializer(new RowsSerializer()))
            .build();

    private JsonBody() {}

    private record Enveloped(
            int code, @Nullable String message, @Nullable Object data) {}

    /** A record, list or map as JSON of small size. */
    public static byte[] of(Object data) {
        return MAPPER.writeValueAsBytes(data);
    }

    /**
     * Writes a record, list or map without {@link Rows}.
     *
     * @throws CairnException without room for it
     */
    static void write(JsonBuffer out, Object data) {
        write(MAPPER.writer(), out, data);
    }

    /**
     * Writes a record, list, map or {@link Rows} with the available rows, and notes the places of the others.
     *
     * @throws CairnException without room for it
     */
    static void write(JsonBuffer out, Object data, RowPlaces places) {
        write(MAPPER.writer().withAttribute(RowsSerializer.PLACES, places), out, data);
    }

    private static void write(ObjectWriter writer, JsonBuffer out, Object data) {
        try {
            writer.writeValue(out, data);
        } catch (JacksonException e) {
            throw e.getCause() instanceof CairnException known ? known : e;
        }
    }

    /** Records as JSON text for another node. */
    public static String ofRows(List<?> rows) {
        return MAPPER.writeValueAsString(rows);
    }

    /**
     * Records of another node. Unknown members are ignored; absent ones are 0, false or null.
     *
     * @throws JacksonException for malformed text
     */
    public static <R> List<R> rows(String json, Class<R> type) {
        return MAPPER.readerForListOf(type).readValue(json);
    }

    /** The envelope of version 1 and of accounts, whose codes and messages depend on the endpoint. */
    public static JsonText enveloped(int code, @Nullable String message, @Nullable Object data) {
        return JsonText.of(new Enveloped(code, message, data));
    }
}
