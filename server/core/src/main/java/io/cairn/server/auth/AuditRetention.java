package io.cairn.server.auth;

import io.cairn.server.node.ClusterDuty;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes old audit records. */
public final class AuditRetention implements AutoCloseable {

    /** Few, so that later writes wait for milliseconds. */
    static final int BATCH = 1_000;

    static final Duration FIRST = Duration.ofMinutes(1);
    static final Duration PAUSE = Duration.ofHours(1);
    /** The pause between batches. */
    static final Duration SOON = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(AuditRetention.class);

    private final AuditStore store;
    private final Duration kept;
    private final Clock clock;
    private final Timer timer;
    private final ClusterDuty duty;
    private volatile boolean closed;

    /**
     * @param kept how long a record is kept
     * @param duty whether this node deletes for all
     */
    public AuditRetention(AuditStore store, Duration kept, Clock clock, Timer timer, ClusterDuty duty) {
        this.store = store;
        this.kept = kept;
        this.clock = clock;
        this.timer = timer;
        this.duty = duty;
    }

    /** First in a minute, then every hour. */
    public void start() {
        schedule(FIRST);
    }

    private void schedule(Duration pause) {
        timer.newTimeout(
                fired -> {
                    if (!closed) {
                        clean();
                    }
                },
                pause.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void clean() {
        if (!duty.isMine()) {
            schedule(PAUSE);
            return;
        }
        store.forgetBefore(clock.millis() - kept.toMillis(), BATCH).whenComplete((forgotten, failure) -> {
            if (failure != null) {
                log.debug("Old audit records could not be removed, it is tried again later: {}", failure.getMessage());
            }
            schedule(failure == null && forgotten == BATCH ? SOON : PAUSE);
        });
    }

    @Override
    public void close() {
        closed = true;
    }
}
