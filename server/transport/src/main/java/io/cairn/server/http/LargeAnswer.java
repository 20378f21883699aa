package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/** A large body for one HTTP/1.1 client, written in pieces from the shared bytes. */
final class LargeAnswer {

    /** The length of a piece; shorter bodies are not large. */
    static final int PIECE_BYTES = 64 * 1024;

    private final HttpResponse response;
    private final MemoryBudget budget;
    private int sent;
    private boolean isPushing;

    private LargeAnswer(HttpResponse response, MemoryBudget budget) {
        this.response = response;
        this.budget = budget;
    }

    /** The caller sends the first piece; null when the memory is not available. */
    static @Nullable LargeAnswer of(HttpResponse response, MemoryBudget budget) {
        if (!response.hold(budget)) {
            return null;
        }
        LargeAnswer large = new LargeAnswer(response, budget);
        large.sent = PIECE_BYTES;
        return large;
    }

    /** Writes as many pieces as the connection accepts; returns whether all are written. */
    boolean push(ChannelHandlerContext context) {
        if (isPushing) {
            // A piece was sent at once; the loop below continues.
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

    int sent() {
        return sent;
    }

    /** Releases the memory; called once. */
    void end() {
        response.release(budget);
    }
}
