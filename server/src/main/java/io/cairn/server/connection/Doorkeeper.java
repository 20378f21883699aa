package io.cairn.server.connection;

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

/** Lets sockets in as long as there are not too many, before a byte of them is read. Thread-safe. */
public final class Doorkeeper {

    private static final AttributeKey<AddressLoad> LOAD = AttributeKey.valueOf("cairn-address-load");
    private static final long COMPLAINT_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(Doorkeeper.class);

    private final ConnectionLimits limits;
    private final AtomicLong nextComplaint = new AtomicLong(System.nanoTime());

    public Doorkeeper(ConnectionLimits limits) {
        this.limits = limits;
    }

    /** Null when the connection may stay, or the text that says which limit it is beyond. */
    public @Nullable String enter(Channel channel) {
        String address = channel.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : "";
        ConnectionLimits.Entry entry = limits.entered(address);
        AddressLoad load = entry.load();
        if (load == null) {
            complain(address, String.valueOf(entry.refusal()));
            return entry.refusal();
        }
        channel.attr(LOAD).set(load);
        channel.closeFuture().addListener(closed -> limits.left(address));
        return null;
    }

    /** Closes a connection that no event loop knows yet, as soon as one does. */
    public static void refuse(Channel channel) {
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.close();
            }
        });
    }

    private void complain(String address, String text) {
        long now = System.nanoTime();
        long due = nextComplaint.get();
        // One line a minute, whatever comes from outside.
        if (now - due >= 0 && nextComplaint.compareAndSet(due, now + COMPLAINT_PAUSE_NANOS)) {
            log.warn("Connection from {} refused: {}", address, text);
        }
    }

    /** What else comes from where the connection does; null for one that did not come through here. */
    public static @Nullable AddressLoad loadOf(Channel channel) {
        return channel.attr(LOAD).get();
    }
}
