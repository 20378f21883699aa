package io.cairn.server.http;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A body that is too large to be in memory as a whole; used for one answer. */
public interface HttpBody extends AutoCloseable {

    /** The length of a body that ends when it ends: its connection is closed after it. */
    long UNKNOWN_LENGTH = -1;

    /** All of its bytes, or {@link #UNKNOWN_LENGTH}. */
    long length();

    /** The next few of them, or null after the last; asked for again only when they are on their way. Never blocks or throws. */
    CompletionStage<byte @Nullable []> next();

    /** Called once, when it has been sent or is not wanted any more; never blocks for long, throws nothing. */
    @Override
    void close();
}
