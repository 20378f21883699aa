package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.FirstStart;
import io.cairn.server.change.Following;
import io.cairn.server.rpc.WatchRevocation;
import io.cairn.server.wiring.settings.AccessProperties;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the accounts before the first client, and then in an interval, because other nodes may change them. */
public final class AccessLifecycle implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AccessLifecycle.class);

    private final AccessPolicy policy;
    private final AccessProperties properties;
    private final FirstStart firstStart;
    private final WatchRevocation revocation;
    private final Timer timer;
    private final Executor pool;
    private final Duration refresh;
    private final Following following = new Following();
    private volatile boolean closed;

    public AccessLifecycle(
            AccessPolicy policy,
            AccessProperties properties,
            FirstStart firstStart,
            WatchRevocation revocation,
            Timer timer,
            Executor pool,
            Duration refresh) {
        this.policy = policy;
        this.properties = properties;
        this.firstStart = firstStart;
        this.revocation = revocation;
        this.timer = timer;
        this.pool = pool;
        this.refresh = refresh;
    }

    /** After the store is writable, before a port is open. Blocks. */
    void start() {
        if (policy.isEnabled()) {
            firstStart.prepare(properties.replaceKnownPasswords());
            refreshLater();
        }
    }

    /** Reads the accounts after a change of another node. Blocks. */
    void reload() {
        if (policy.isEnabled() && firstStart.isPrepared()) {
            firstStart.reload();
        }
    }

    private void refreshLater() {
        timer.newTimeout(
                timeout -> {
                    if (!closed) {
                        refreshSoon();
                        refreshLater();
                    }
                },
                refresh.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void refreshSoon() {
        try {
            pool.execute(this::refresh);
        } catch (RejectedExecutionException e) {
            log.debug("Users and permissions are read another time: too much else is under way");
        }
    }

    private void refresh() {
        following.attempt();
        try {
            if (firstStart.isPrepared()) {
                firstStart.reload();
                revocation.checkExpired();
            } else {
                firstStart.prepare(properties.replaceKnownPasswords());
            }
            following.followed(true);
        } catch (CairnException e) {
            following.failed(e.text());
            if (!firstStart.isPrepared()) {
                log.error("The first user cannot be made: {}", e.text());
                return;
            }
            log.debug("Users and permissions stay as they are: {}", e.text());
        } catch (RuntimeException e) {
            following.failed("a defect of the server: " + e);
            log.error("Users and permissions stay as they are on a defect of the server", e);
        }
    }

    /** Whether and for how long the accounts follow the store. */
    public Following following() {
        return following;
    }

    @Override
    public void close() {
        closed = true;
    }
}
