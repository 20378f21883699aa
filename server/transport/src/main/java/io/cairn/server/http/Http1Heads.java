package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.RequestHeadTimeout;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory and the time that the heads of the requests of one HTTP/1.1 connection take. Used on the event loop of the
 * connection.
 */
final class Http1Heads {

    private final HttpExchanges<Http1Exchange> exchanges;
    private final HttpMemory memory;
    private final BooleanSupplier isExcused;
    private final Consumer<String> late;
    /** Null when a request was refused for its length: the rest of it is not kept. */
    private @Nullable RequestDecoder decoder;

    private @Nullable RequestHeadTimeout timeout;
    /** Bytes that were taken from the memory budget for a large head, until the connection ends. */
    private int taken;

    /**
     * @param isExcused whether the server is the reason that no more of a head arrives
     * @param late gets the text that names the limit, when a head does not come in time
     */
    Http1Heads(
            HttpExchanges<Http1Exchange> exchanges,
            HttpMemory memory,
            RequestDecoder decoder,
            BooleanSupplier isExcused,
            Consumer<String> late) {
        this.exchanges = exchanges;
        this.memory = memory;
        this.decoder = decoder;
        this.isExcused = isExcused;
        this.late = late;
    }

    /** In place of a request that cannot be read. */
    static Http1Exchange unread() {
        return new Http1Exchange(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, ""));
    }

    /** Whether a large head has taken from the memory budget. */
    boolean isLarge() {
        return taken > 0;
    }

    /** The whole head has come. */
    void ended() {
        if (timeout != null) {
            timeout.ended();
        }
    }

    /** Whether there is room for a head that has come; if not, the request has been refused. */
    boolean admits(Http1Exchange exchange) {
        RequestDecoder requests = decoder;
        return requests == null
                || requests.headBytes() <= MemoryBudget.SMALL_BYTES
                || admitLarge(requests, exchange, requests.headBytes());
    }

    /**
     * Checks what has come of the next head, or of the lines between the chunks of a body.
     *
     * @param coming the request whose body is being received
     * @return whether the connection is in the middle of a head
     */
    boolean check(@Nullable Http1Exchange coming) {
        RequestDecoder requests = decoder;
        if (requests == null) {
            return false;
        }
        boolean isInHead = requests.isInHead();
        if (requests.kept() > MemoryBudget.SMALL_BYTES
                && !admitLarge(requests, coming == null ? unread() : coming, isInHead ? requests.kept() : 0)) {
            return isInHead;
        }
        if (isInHead) {
            if (timeout == null) {
                timeout = new RequestHeadTimeout(
                        memory.limits().headSeconds(), exchanges.context().executor(), isExcused, late);
            }
            timeout.begun();
        }
        return isInHead;
    }

    /**
     * Takes room for more than {@link MemoryBudget#SMALL_BYTES}. The decoder never makes its buffer smaller, so the room is
     * given back when the connection ends, which is after the next answer.
     *
     * @param headBytes 0 when it is not about a head
     * @return false when the request was refused
     */
    private boolean admitLarge(RequestDecoder requests, Http1Exchange exchange, int headBytes) {
        if (headBytes > memory.maxHeadBytes()) {
            exchanges.refuse(exchange, 431, memory.headTooLong());
        } else {
            if (taken == 0) {
                taken = memory.takeHead(headBytes);
            }
            if (taken > 0) {
                return true;
            }
            exchanges.refuse(exchange, 503, HttpPipeline.TOO_MANY_LARGE);
        }
        decoder = null;
        exchanges.context().pipeline().remove(requests);
        return false;
    }

    /** The connection ends. */
    void close() {
        if (timeout != null) {
            timeout.close();
        }
        memory.releaseHead(taken);
        taken = 0;
    }
}
