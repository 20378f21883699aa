package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import java.util.function.Function;

/**
 * One row of the {@link SwitchTable}.
 *
 * @param <T> type of its value
 */
final class Switch<T> {

    private final int index;
    private final String shownAs;
    private final T initial;
    private final Function<String, T> reader;
    private final Writer<T> writer;

    /** Writes the value as a member of the JSON that operators' tools read. */
    @FunctionalInterface
    interface Writer<T> {
        void write(JsonOutput out, String name, T value);
    }

    /**
     * @param index its place in the table
     * @param shownAs name of its member of the JSON
     * @param initial its value until an operator sets another one
     * @param reader reads a value from text; throws {@link CairnException} when the text is not one
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

    /** @throws CairnException {@code INVALID_PARAMETER} when the text is not a value of this switch */
    T read(String text) {
        return reader.apply(text);
    }

    void write(JsonOutput out, T value) {
        writer.write(out, shownAs, value);
    }
}
