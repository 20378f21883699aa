package io.cairn.server.http.envelope;

import java.util.ArrayList;
import java.util.List;

/** The places of rows in a JSON text. For one thread at a time. */
final class RowPlaces {

    private final JsonBuffer text;
    private final List<Place> places = new ArrayList<>(1);

    RowPlaces(JsonBuffer text) {
        this.text = text;
    }

    /** @param at the number of bytes before the rows */
    record Place(Rows<?> rows, int at) {}

    JsonBuffer text() {
        return text;
    }

    /** Adds a place behind all written bytes. */
    void add(Rows<?> rows) {
        places.add(new Place(rows, Math.toIntExact(text.size())));
    }

    List<Place> all() {
        return places;
    }
}
