package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * A large body on its way to one client of HTTP/1.1: what the connection does not take yet is not copied out of the bytes
 * that all readers share. Used on the connection's event loop.
 */
final class LargeAnswer {

    /** Bytes that are handed over at a time; a body up to this length is none of these. */
    static final int PIECE_BYTES = 64 * 1024;

    private final HttpResponse response;
    private final MemoryBudget budget;
    private int sent;
    private boolean isPushing;

    private LargeAnswer(HttpResponse response, MemoryBudget budget) {
        this.response = response;
        this.budget = budget;
    }

    /** One whose first piece is handed over by the caller; null when there is no room for it in the budget. */
    static @Nullable LargeAnswer of(HttpResponse response, MemoryBudget budget) {
        if (!response.hold(budget)) {
            return null;
        }
        LargeAnswer large = new LargeAnswer(response, budget);
        large.sent = PIECE_BYTES;
        return large;
    }

    /** Hands over as much as the connection takes; returns whether that was the last of it. */
    boolean push(ChannelHandlerContext context) {
        if (isPushing) {
            // A piece has left at once, and the loop below goes on.
            return false;
        }
        isPushing = true;
        byte[] content = response.body();
        while (sent < content.length && context.channel().isWritable()) {
            int piece = Math.min(PIECE_BYTES, content.length - sent);
            context.writeAndFlush(Unpooled.wrappedBuffer(content, sent, piece), context.voidPromise());
            sent += piece;
        }
        isPushing = false;
        return sent == content.length;
    }

    /** Bytes handed over so far. */
    int sent() {
        return sent;
    }

    /** It has been handed over, or nobody wants it any more; called once. */
    void end() {
        response.release(budget);
    }
}
