package io.cairn.server.wiring;

import io.cairn.server.tls.ServerTls;
import io.netty.channel.Channel;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encrypts the ports where that is set, and looks for new certificates now and again. */
final class TlsLink implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TlsLink.class);

    private final @Nullable ServerTls tls;
    private final Duration interval;
    private final Timer timer;
    private final Executor pool;
    private volatile boolean closed;

    /** @param tls null when the ports are not encrypted */
    TlsLink(@Nullable ServerTls tls, Duration interval, Timer timer, Executor pool) {
        this.tls = tls;
        this.interval = interval;
        this.timer = timer;
        this.pool = pool;
        if (tls != null) {
            lookLater(tls);
        }
    }

    /** What encrypts the ports; null when nothing does. */
    @Nullable
    ServerTls encryption() {
        return tls;
    }

    /** That of an address which works from this machine. */
    String httpScheme() {
        return tls != null && tls.isDemanded(ServerTls.Port.HTTP) ? "https" : "http";
    }

    void prepareRpc(Channel channel) {
        if (tls != null) {
            tls.prepare(channel, ServerTls.Port.RPC);
        }
    }

    void prepareHttp(Channel channel) {
        if (tls != null) {
            tls.prepare(channel, ServerTls.Port.HTTP);
        }
    }

    private void lookLater(ServerTls present) {
        timer.newTimeout(
                timeout -> {
                    if (!closed) {
                        look(present);
                        lookLater(present);
                    }
                },
                interval.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void look(ServerTls present) {
        try {
            pool.execute(present::reload);
        } catch (RejectedExecutionException e) {
            log.debug("Certificates are looked at another time: too much else is under way");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
