package io.cairn.server.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.limit.Limit;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles failures to accept connections, normally because the process has reached its limit of open files: counts them,
 * pauses accepting, and logs once a minute. Thread-safe; one instance serves all listening sockets.
 */
@Sharable
public final class AcceptFailures extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(AcceptFailures.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

    private final Limit openFiles;
    private final Clock clock;

    @GuardedBy("this")
    private long unreported;

    @GuardedBy("this")
    private boolean waiting;

    @GuardedBy("this")
    private @Nullable Instant last;

    /** @param openFiles of the process; each failure counts as an excess */
    public AcceptFailures(Limit openFiles, Clock clock) {
        this.openFiles = openFiles;
        this.clock = clock;
    }

    /** Null without a failure. */
    public synchronized @Nullable Instant last() {
        return last;
    }

    /** Does not propagate the exception: Netty's handler would pause too, and log a stack trace for each failure. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Channel listening = context.channel();
        openFiles.countExceeded();
        if (listening.config().isAutoRead()) {
            listening.config().setAutoRead(false);
            listening
                    .eventLoop()
                    .schedule(() -> listening.config().setAutoRead(true), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
        failed(listening.eventLoop(), port(listening), String.valueOf(cause.getMessage()));
    }

    private synchronized void failed(ScheduledExecutorService executor, String port, String cause) {
        last = clock.instant();
        unreported++;
        if (!waiting) {
            report(executor, port, cause);
        }
    }

    private synchronized void minuteEnded(ScheduledExecutorService executor, String port, String cause) {
        waiting = false;
        if (unreported > 0) {
            report(executor, port, cause);
        } else {
            log.info("Connections are accepted again");
        }
    }

    @GuardedBy("this")
    private void report(ScheduledExecutorService executor, String port, String cause) {
        String remedy = cause.contains("Too many open files")
                ? " (this process may open " + openFiles.max()
                        + "; allow 65536 or more by ulimit -n, or LimitNOFILE of the service, and restart it)"
                : "";
        log.error(
                "Connections to port {} are not accepted: {}{}; failures since the last such line: {}; the next attempt follows in {} s",
                port,
                cause,
                remedy,
                unreported,
                PAUSE.toSeconds());
        unreported = 0;
        waiting = true;
        executor.schedule(() -> minuteEnded(executor, port, cause), BETWEEN_LINES.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String port(Channel listening) {
        return listening.localAddress() instanceof InetSocketAddress inet
                ? Integer.toString(inet.getPort())
                : String.valueOf(listening.localAddress());
    }
}
