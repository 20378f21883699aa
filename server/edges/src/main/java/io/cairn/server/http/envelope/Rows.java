package io.cairn.server.http.envelope;

import io.cairn.server.config.RowSource;
import io.cairn.server.http.route.ArrayValue;
import java.util.List;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;

/**
 * A list in a response whose rows are found and written a few at a time, for each list of unbounded length. Written once.
 *
 * @param <T> a record for Jackson; bytes of JSON from {@link #ofJson}
 */
public final class Rows<T> implements ArrayValue {

    private final RowSource<T> source;
    private final Form form;
    private boolean isFirst = true;

    private enum Form {
        RECORDS,
        JSON,
        LINES
    }

    private Rows(RowSource<T> source, Form form) {
        this.source = source;
        this.form = form;
    }

    /** The rows of a source, which may read the database. */
    public static <T> Rows<T> of(RowSource<T> source) {
        return new Rows<>(source, Form.RECORDS);
    }

    /** A list in memory. */
    public static <T> Rows<T> of(List<T> all) {
        return of(RowSource.of(all));
    }

    /**
     * A list in memory.
     *
     * @param row makes a row for Jackson when it is written
     */
    public static <E, T> Rows<T> of(List<E> all, Function<? super E, ? extends T> row) {
        return of(RowSource.of(all).map(row));
    }

    /**
     * A list in memory.
     *
     * @param row makes the JSON of a row when it is written
     */
    public static <E> Rows<byte[]> ofJson(List<E> all, Function<? super E, byte[]> row) {
        return new Rows<>(RowSource.of(all).map(row), Form.JSON);
    }

    Rows<T> asLines() {
        return new Rows<>(source, Form.LINES);
    }

    boolean areLines() {
        return form == Form.LINES;
    }

    /** Whether the next rows need no blocking. */
    boolean isReady() {
        return source.isReady();
    }

    /**
     * Writes the rows that need no blocking into the open array, up to the size of a whole body.
     *
     * @return whether these are all
     */
    boolean writeReady(JsonGenerator out, JsonBuffer text) {
        while (form == Form.RECORDS && source.isReady() && text.size() < JsonPieces.WHOLE_BYTES) {
            List<T> some = source.next(text.lease());
            for (T row : some) {
                out.writePOJO(row);
            }
            isFirst &= some.isEmpty();
            if (some.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Writes the next rows with separators; false at the end. */
    boolean writeNext(JsonBuffer out) {
        List<T> some = source.next(out.lease());
        for (T row : some) {
            if (!isFirst && form != Form.LINES) {
                out.write(',');
            }
            isFirst = false;
            if (row instanceof byte[] json) {
                out.write(json, 0, json.length);
            } else {
                JsonBody.write(out, row);
            }
            if (form == Form.LINES) {
                out.write('\n');
            }
        }
        return !some.isEmpty();
    }
}
