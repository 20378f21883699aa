package io.cairn.server.xds.view;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http2.GrpcStatus;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A stream that subscribes to resources of a view. */
public interface Subscriber {

    /** The event loop of the stream, on which the other methods are called. */
    Executor loop();

    /** Sends the view's changes that the client lacks, as far as the client can receive them. */
    void advance();

    /** Ends the stream. */
    void end(GrpcStatus status, @Nullable String why);

    /**
     * Whether the client lacks the present endpoints of the service: its view has not published them, or the client has not
     * acknowledged their version. On the mesh thread.
     */
    boolean isBehind(ServiceKey service);

    /** Runs the task on the event loop of the stream; false when the loop has ended with all its connections. */
    default boolean execute(Runnable task) {
        return execute(loop(), task);
    }

    /** As {@link #execute(Runnable)}, for several streams of one loop. */
    static boolean execute(Executor loop, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LoggerFactory.getLogger(Subscriber.class).debug("The event loop has ended, and its streams with it", e);
            return false;
        }
    }
}
