package io.cairn.server.rpc;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.http2.Http2Connection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One HTTP/2 connection. It joins requests with the stream of pushes, without regard to the client's statements. */
final class Transport {

    private static final Logger log = LoggerFactory.getLogger(Transport.class);

    private final Channel channel;
    private final Http2Connection http2;
    private final String remoteIp;
    private final String connectionId;
    private volatile @Nullable ClientConnection connection;
    private PushStreams.@Nullable PushStream stream;
    private long unreadBytes;

    Transport(Channel channel, Http2Connection http2, long epochMillis) {
        this.channel = channel;
        this.http2 = http2;
        SocketAddress remote = channel.remoteAddress();
        if (remote instanceof InetSocketAddress inet) {
            this.remoteIp = inet.getAddress().getHostAddress();
            this.connectionId = epochMillis + "_" + remoteIp + "_" + inet.getPort();
        } else {
            this.remoteIp = "127.0.0.1";
            this.connectionId = epochMillis + "_" + channel.id().asShortText();
        }
    }

    Channel channel() {
        return channel;
    }

    String remoteIp() {
        return remoteIp;
    }

    String connectionId() {
        return connectionId;
    }

    /** The connection that a client has set up here, or null. */
    @Nullable
    ClientConnection connection() {
        return connection;
    }

    /** Its stream, or null; on the event loop. */
    PushStreams.@Nullable PushStream stream() {
        return stream;
    }

    void setUp(@Nullable ClientConnection established, PushStreams.@Nullable PushStream on) {
        connection = established;
        stream = on;
    }

    /** Sends GOAWAY and closes; on the event loop. A reading client has time to see it; a blocked one is disconnected. */
    void close() {
        http2.end();
    }

    /** Refuses further calls; running calls continue. By any thread; completes on the event loop. */
    Future<?> finish() {
        try {
            return channel.eventLoop().submit(http2::finish);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connectionId, e);
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);
        }
    }

    /** Whether a call of one message is not answered. By any thread; completes on the event loop. */
    Future<Boolean> hasCallUnderWay() {
        try {
            return channel.eventLoop().submit(http2::hasCallUnderWay);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connectionId, e);
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(false);
        }
    }

    /** {@link #close}s after the queued tasks of the event loop; by any thread. */
    void stop() {
        onLoop(() -> onLoop(() -> onLoop(this::close)));
    }

    private void onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connectionId, e);
        }
    }

    /** Closes at once, without waiting; by any thread. */
    void hangUp() {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null) {
            first.close();
        }
    }

    /** Adds unread bytes of large answers, and returns the sum. */
    synchronized long addUnread(long bytes) {
        unreadBytes += bytes;
        return unreadBytes;
    }
}
