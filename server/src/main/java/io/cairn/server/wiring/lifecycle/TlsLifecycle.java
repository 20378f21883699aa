package io.cairn.server.wiring.lifecycle;

import io.cairn.server.tls.ServerTls;
import io.netty.channel.Channel;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

public final class TlsLifecycle implements AutoCloseable {

    private final @Nullable ServerTls tls;
    private final @Nullable FileWatch watch;

    /** @param tls null without encryption */
    public TlsLifecycle(@Nullable ServerTls tls, Duration interval, Timer timer, Executor pool) {
        this.tls = tls;
        this.watch = tls == null ? null : new FileWatch(tls::reload, interval, timer, pool);
    }

    public @Nullable ServerTls encryption() {
        return tls;
    }

    public String httpScheme() {
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

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }
}
