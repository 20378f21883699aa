package io.cairn.server.admission;

import io.cairn.server.limit.AddressLoad;
import io.cairn.server.limit.ConnectionLimits;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Admits connections up to the limits of the server and of each address, before the first read. Thread-safe. */
public final class ConnectionAdmission {

    private static final AttributeKey<AddressLoad> LOAD = AttributeKey.valueOf("cairn-address-load");
    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(ConnectionAdmission.class);

    private final ConnectionLimits limits;
    private final AtomicLong nextLine = new AtomicLong(System.nanoTime());

    public ConnectionAdmission(ConnectionLimits limits) {
        this.limits = limits;
    }

    /** Returns null for an admitted connection, otherwise the message with the exceeded limit. */
    public @Nullable String enter(Channel channel) {
        String address = channel.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : "";
        ConnectionLimits.Entry entry = limits.entered(address);
        AddressLoad load = entry.load();
        if (load == null) {
            logRefusal(address, String.valueOf(entry.refusal()));
            return entry.refusal();
        }
        channel.attr(LOAD).set(load);
        channel.closeFuture().addListener(closed -> limits.left(address));
        return null;
    }

    /** Closes a connection once it is registered with an event loop. */
    public static void refuse(Channel channel) {
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.close();
            }
        });
    }

    private void logRefusal(String address, String text) {
        long now = System.nanoTime();
        long due = nextLine.get();
        // Logs at most once a minute.
        if (now - due >= 0 && nextLine.compareAndSet(due, now + LOG_PAUSE_NANOS)) {
            log.warn("Connection from {} refused: {}", address, text);
        }
    }

    /** The load of the client's address; null for a connection that was not admitted here. */
    public static @Nullable AddressLoad loadOf(Channel channel) {
        return channel.attr(LOAD).get();
    }
}
