package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.RequestHeadTimeout;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Limits the memory and the time for request heads of one HTTP/1.1 connection. */
final class Http1Heads {

    private final HttpExchanges<Http1Exchange> exchanges;
    private final HttpMemory memory;
    private final BooleanSupplier isExcused;
    private final Consumer<String> late;
    /** Null after a request was rejected for its length. */
    private @Nullable RequestDecoder decoder;

    private @Nullable RequestHeadTimeout timeout;
    /** The bytes taken for a large head, until the connection ends. */
    private int taken;

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

    /** Stands for an unreadable request. */
    static Http1Exchange unread() {
        return new Http1Exchange(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, ""));
    }

    boolean isLarge() {
        return taken > 0;
    }

    void ended() {
        if (timeout != null) {
            timeout.ended();
        }
    }

    /** Whether the memory for a received head is available; otherwise the request was rejected. */
    boolean admits(Http1Exchange exchange) {
        RequestDecoder requests = decoder;
        return requests == null
                || requests.headBytes() <= MemoryBudget.SMALL_BYTES
                || admitLarge(requests, exchange, requests.headBytes());
    }

    /**
     * Checks the received bytes of the next head, or of the lines between chunks.
     *
     * @param coming the request whose body is being received
     * @return whether a head is incomplete
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
     * Takes memory for more than {@link MemoryBudget#SMALL_BYTES}, and releases it at the end of the connection, which
     * follows the next response, because the decoder never shrinks its buffer.
     *
     * @param headBytes 0 for the lines between chunks
     * @return false when the request was rejected
     */
    private boolean admitLarge(RequestDecoder requests, Http1Exchange exchange, int headBytes) {
        if (headBytes > memory.maxHeadBytes()) {
            exchanges.refuse(exchange, 431, memory.headTooLong());
        } else {
            if (taken == 0) {
                taken = memory.reserveHead(headBytes);
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

    void close() {
        if (timeout != null) {
            timeout.close();
        }
        memory.releaseHead(taken);
        taken = 0;
    }
}
