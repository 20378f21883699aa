package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Provides a token before each connection, and renews it before it expires and after a rejection. */
final class TokenRenewal {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final @Nullable Login login;
    private final Threads threads;
    private final Supplier<Optional<ServerAddress>> server;

    @GuardedBy("itself")
    private final List<Runnable> afterLogin = new ArrayList<>();

    /** Used on the control thread. */
    private @Nullable Future<?> renewal;

    TokenRenewal(@Nullable Login login, Threads threads, Supplier<Optional<ServerAddress>> server) {
        this.login = login;
        this.threads = threads;
        this.server = server;
    }

    /** Logs in at this server if necessary; on the control thread. */
    void ensure(ServerAddress address) {
        Login auth = login;
        if (auth != null) {
            renewIn(auth.ensure(address));
        }
    }

    /** Replaces the former renewal; on the control thread. */
    private void renewIn(Duration delay) {
        Future<?> before = renewal;
        if (before != null) {
            before.cancel(false);
        }
        renewal = threads.timer()
                .schedule(() -> threads.control().execute(this::renew), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void renew() {
        Optional<ServerAddress> connected = server.get();
        if (connected.isEmpty()) {
            // The next attempt to connect checks the token.
            return;
        }
        try {
            ensure(connected.get());
        } catch (CairnException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The token could not be renewed, next attempt in " + AGAIN.toSeconds() + " s: " + e.getMessage());
            renewIn(AGAIN);
        }
    }

    /** Logs in and runs the task; rejections during the login share it. */
    void again(Runnable then) {
        boolean first;
        synchronized (afterLogin) {
            first = afterLogin.isEmpty();
            afterLogin.add(then);
        }
        if (first) {
            threads.control().execute(this::logInAgain);
        }
    }

    private void logInAgain() {
        try {
            server.get().ifPresent(this::ensure);
        } catch (CairnException e) {
            LOG.log(System.Logger.Level.WARNING, "Logging in again has failed: " + e.getMessage());
        } finally {
            List<Runnable> all;
            synchronized (afterLogin) {
                all = List.copyOf(afterLogin);
                afterLogin.clear();
            }
            all.forEach(Runnable::run);
        }
    }
}
