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

/**
 * One HTTP/2 connection. Requests and the stream of pushes find each other through it, not by anything a client sends.
 */
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

    /** The connection that a client has set up on this transport, or null. */
    @Nullable
    ClientConnection connection() {
        return connection;
    }

    /** The stream that it is set up on, or null; on the event loop. */
    PushStreams.@Nullable PushStream stream() {
        return stream;
    }

    void setUp(@Nullable ClientConnection established, PushStreams.@Nullable PushStream on) {
        connection = established;
        stream = on;
    }

    /**
     * Says good-bye and closes; on the event loop. A client that reads is given the time to see it, one that does not is
     * hung up on.
     */
    void close() {
        http2.end();
    }

    /** Has it take no more calls; those under way go on. By any thread; done when the event loop has it behind it. */
    Future<?> finish() {
        try {
            return channel.eventLoop().submit(http2::finish);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connectionId, e);
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);
        }
    }

    /** {@link #close}s once the event loop has done what it is asked to already, and what that asks it to; by any thread. */
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

    /** Closes at once, without waiting for the client or for any handler; by any thread. */
    void hangUp() {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null) {
            first.close();
        }
    }

    /** Counts bytes of large answers that the client has not read yet, and returns how many there are. */
    synchronized long addUnread(long bytes) {
        unreadBytes += bytes;
        return unreadBytes;
    }
}
