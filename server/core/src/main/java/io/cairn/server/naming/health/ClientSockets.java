package io.cairn.server.naming.health;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.ConnectException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Opens the probes' connections. */
final class ClientSockets implements AutoCloseable {

    static final int CONNECT_MILLIS = 500;

    private static final int CLOSE_MILLIS = 2_000;

    private final EventLoopGroup loops;
    private final ChannelFactory<? extends Channel> channels;
    /** One opened after {@link #close()} is closed at once. */
    private final ChannelGroup open = new DefaultChannelGroup("health", ImmediateEventExecutor.INSTANCE, true);

    ClientSockets(EventLoopGroup loops, ChannelFactory<? extends Channel> channels) {
        this.loops = loops;
        this.channels = channels;
    }

    EventLoopGroup loops() {
        return loops;
    }

    ChannelFactory<? extends Channel> channels() {
        return channels;
    }

    /** @param pipeline fills the connection's pipeline on its event loop */
    ChannelFuture connect(Target target, Consumer<Channel> pipeline) {
        return new Bootstrap()
                .group(loops)
                .channelFactory(channels)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        open.add(channel);
                        pipeline.accept(channel);
                    }
                })
                .connect(target.address());
    }

    /** For a failed connection. */
    static ProbeResult notConnected(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return ProbeResult.failed("no connection within " + CONNECT_MILLIS + " ms");
        }
        if (cause instanceof ConnectException) {
            return ProbeResult.down("connection refused");
        }
        if (cause instanceof ChannelException
                || cause instanceof RejectedExecutionException
                || cause instanceof IllegalStateException) {
            // No free file descriptor, or a stop: the target is not the cause.
            return ProbeResult.unknown("no socket: " + cause.getMessage());
        }
        return ProbeResult.failed("no connection: " + cause.getMessage());
    }

    @Override
    public void close() {
        open.close().awaitUninterruptibly(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
