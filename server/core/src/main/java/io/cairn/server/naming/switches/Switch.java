package io.cairn.server.naming.switches;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import java.util.function.Function;

/**
 * A row of the {@link SwitchTable}.
 *
 * @param <T> type of its value
 */
final class Switch<T> {

    private final int index;
    private final String shownAs;
    private final T initial;
    private final Function<String, T> reader;
    private final Writer<T> writer;

    /** Writes the value into the JSON for operators' tools. */
    @FunctionalInterface
    interface Writer<T> {
        void write(JsonOutput out, String name, T value);
    }

    /**
     * @param index in the table
     * @param shownAs member of the JSON
     * @param initial value
     * @param reader throws {@link CairnException} for an invalid text
     */
    Switch(int index, String shownAs, T initial, Function<String, T> reader, Writer<T> writer) {
        this.index = index;
        this.shownAs = shownAs;
        this.initial = initial;
        this.reader = reader;
        this.writer = writer;
    }

    int index() {
        return index;
    }

    T initial() {
        return initial;
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for an invalid text */
    T read(String text) {
        return reader.apply(text);
    }

    void write(JsonOutput out, T value) {
        writer.write(out, shownAs, value);
    }
}
