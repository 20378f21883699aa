package io.cairn.server.http;

import io.netty.channel.ChannelFuture;
import org.jspecify.annotations.Nullable;

/**
 * How the exchanges of one connection are carried by its protocol. Called by {@link HttpExchanges}, on the event loop.
 *
 * @param <E> the exchanges of this protocol
 */
interface HttpWire<E extends HttpExchange> {

    /** The protocol, for logs. */
    String protocol();

    /** Permits the client to send the body of its request, when the request's turn has come. */
    void sendContinue(E exchange);

    /** Calls {@link HttpExchanges#beginUpload}, or refuses the request. */
    void beginUpload(E exchange);

    /** Calls {@link HttpExchanges#start} when the request's turn has come. */
    void startInTurn(E exchange);

    /** Whether a response can be sent now that the client takes for the one of this request. */
    boolean isTurn(E exchange);

    /** Whether a body of that length takes from the memory budget until it has been sent. */
    boolean isHeavy(int bytes);

    /**
     * Sends the head of the response and its body, unless the body comes piece by piece. Where the request {@linkplain
     * HttpExchange#isComplete is not complete}, the client must not be cut off before it has read the response.
     *
     * @param held the body, if it has taken from the memory budget; to be {@linkplain LargeAnswer#end ended}
     */
    void send(E exchange, HttpResponse response, @Nullable LargeAnswer held);

    /** Sends the next piece; the future is done when it has left. */
    ChannelFuture sendPiece(E exchange, byte[] piece);

    /** Ends a response whose last piece has left. */
    void sendEnd(E exchange);

    /** Ends a response half way, or a connection on which the request cannot be answered. */
    void cutOff(E exchange);

    /** Ends the responses that the client does not read. */
    void cutOffUnread();
}
