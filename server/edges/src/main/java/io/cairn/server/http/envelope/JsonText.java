package io.cairn.server.http.envelope;

import io.cairn.server.admission.MemoryLease;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.PendingBody;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * JSON to be written when the handler is done: a record, list or map, with bytes before and after it. {@link Rows} in it are
 * written a few at a time.
 */
public final class JsonText implements PendingBody {

    private static final byte[] NOTHING = {};

    private final byte[] before;
    private final Object data;
    private final byte[] behind;
    private final boolean isOpen;

    private JsonText(byte[] before, Object data, byte[] behind, boolean isOpen) {
        this.before = before;
        this.data = data;
        this.behind = behind;
        this.isOpen = isOpen;
    }

    public static JsonText of(Object data) {
        return new JsonText(NOTHING, data, NOTHING, false);
    }

    /** Rows as lines of JSON. */
    public static JsonText lines(Rows<?> rows) {
        return of(rows.asLines());
    }

    JsonText between(byte[] start, byte[] end) {
        return new JsonText(start, data, end, isOpen);
    }

    /** Replaces the closing brace by a comma, members and a brace. */
    JsonText closedBy(byte[] end) {
        return new JsonText(before, data, end, true);
    }

    /** Writes the available part; {@link Rows} follow later. */
    void writeTo(JsonBuffer out, RowPlaces places) {
        out.write(before, 0, before.length);
        long start = out.size();
        if (data instanceof Rows<?> rows && rows.areLines()) {
            places.add(rows);
        } else {
            JsonBody.write(out, data, places);
        }
        int from = 0;
        if (isOpen) {
            out.takeLast();
            // An object without members needs no comma.
            from = out.size() == start + 1 ? 1 : 0;
        }
        out.write(behind, from, behind.length - from);
    }

    @Override
    public CompletionStage<HttpResponse> write(HttpResponse head, MemoryLease lease, Executor pool) {
        return new JsonPieces(lease, pool, System::nanoTime).begin(this, head);
    }
}
