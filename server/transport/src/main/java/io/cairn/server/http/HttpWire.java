package io.cairn.server.http;

import io.netty.channel.ChannelFuture;
import org.jspecify.annotations.Nullable;

/** The protocol-specific part of a connection; called by {@link HttpExchanges}. */
interface HttpWire<E extends HttpExchange> {

    String protocol();

    /** Permits the client to send the body, in the request's turn. */
    void sendContinue(E exchange);

    /** Calls {@link HttpExchanges#beginUpload}, or rejects the request. */
    void beginUpload(E exchange);

    /** Calls {@link HttpExchanges#start} in the request's turn. */
    void startInTurn(E exchange);

    /** Whether the next response of the connection belongs to this request. */
    boolean isTurn(E exchange);

    /** Whether a body of this length takes memory until it was sent. */
    boolean isHeavy(int bytes);

    /**
     * Sends the head and a body in memory. The response to an {@linkplain HttpExchange#isComplete incomplete} request must
     * reach the client before the connection is closed.
     *
     * @param held the body, if it has taken memory; to be {@linkplain LargeAnswer#end ended}
     */
    void send(E exchange, HttpResponse response, @Nullable LargeAnswer held);

    /** Completes when the piece was written. */
    ChannelFuture sendPiece(E exchange, byte[] piece);

    void sendEnd(E exchange);

    /** Aborts a response, or a connection whose request cannot be answered. */
    void cutOff(E exchange);

    /** Aborts the responses that the client does not read. */
    void cutOffUnread();
}
