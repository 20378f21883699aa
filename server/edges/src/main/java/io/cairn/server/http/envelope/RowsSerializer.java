package io.cairn.server.http.envelope;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

/** Writes available rows, and notes the places of the others. */
final class RowsSerializer extends ValueSerializer<Rows<?>> {

    @SuppressWarnings("unchecked") // The class with its type parameter
    private static final Class<Rows<?>> TYPE = (Class<Rows<?>>) (Class<?>) Rows.class;

    static final String PLACES = "places";

    @Override
    public Class<Rows<?>> handledType() {
        return TYPE;
    }

    @Override
    public void serialize(Rows<?> rows, JsonGenerator out, SerializationContext context) {
        if (!(context.getAttribute(PLACES) instanceof RowPlaces places)) {
            throw new IllegalStateException("rows in a JSON text that is written as a whole (expected: a JsonText)");
        }
        out.writeStartArray();
        if (!rows.writeReady(out, places.text())) {
            out.flush();
            places.add(rows);
        }
        out.writeEndArray();
    }
}
