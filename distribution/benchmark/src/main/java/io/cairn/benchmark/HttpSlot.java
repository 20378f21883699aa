package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.HttpConnection;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A slot whose operation is one HTTP request. */
abstract class HttpSlot extends Load.Slot implements HttpConnection.Listener {
    private static final int SHOWN_BYTES = 200;

    private final HttpConnection connection;

    HttpSlot(Load load, Load.Lane lane, HttpConnection connection) {
        super(load, lane);
        this.connection = connection;
    }

    /** The next request, header and body. */
    abstract byte[] request();

    /** Null when the answer is as it should be, else one line. */
    @Nullable
    abstract String judge(int status, ByteBuf body);

    static String unexpected(int status, ByteBuf body, String expected) {
        String text = body.toString(body.readerIndex(), Math.min(SHOWN_BYTES, body.readableBytes()), UTF_8);
        return "HTTP " + status + " with " + body.readableBytes() + " bytes (expected: " + expected + "): "
                + text.strip();
    }

    /** How often a connection had to be opened again, which a server that keeps them alive spares its clients. */
    static void reportReconnects(Report report, List<HttpConnection> connections) {
        int connects = connections.stream().mapToInt(HttpConnection::connects).sum();
        report.put("reconnects", (long) connects - connections.size());
    }

    @Override
    final boolean canIssue() {
        return true;
    }

    @Override
    final void issue() {
        connection.send(request(), this);
    }

    @Override
    public final void answered(int status, ByteBuf body) {
        String cause = judge(status, body);
        if (cause == null) {
            succeeded();
        } else {
            lost(cause);
        }
    }

    @Override
    public final void failed(String cause) {
        lost(cause);
    }
}
