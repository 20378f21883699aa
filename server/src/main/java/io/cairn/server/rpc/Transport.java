package io.cairn.server.rpc;

import io.cairn.server.connection.ClientConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection. Requests and the stream of pushes find each other through it, not by anything a client sends.
 */
final class Transport {

    private static final long GOOD_BYE_MILLIS = 2_000;

    private final Channel channel;
    private final String remoteIp;
    private final String connectionId;
    private volatile @Nullable ClientConnection connection;
    private long unreadBytes;

    Transport(Channel channel, long epochMillis) {
        this.channel = channel;
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

    void setUp(@Nullable ClientConnection established) {
        connection = established;
    }

    /**
     * Says good-bye and closes; on the event loop. A client that reads is given the time to see it, one that does not is
     * hung up on.
     */
    void close() {
        channel.close();
        Future<?> hangUp = channel.eventLoop().schedule(this::hangUp, GOOD_BYE_MILLIS, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> hangUp.cancel(false));
    }

    private void hangUp() {
        // From before the first handler on, so that none of them waits for the client once more.
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
