package io.cairn.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.cairn.server.limit.LogLines;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients whose requests are served only because clients need no login yet: without a valid login, and in a rehearsal also without
 * the right. In memory since the start, the latest {@value #MAX}. Thread-safe; never blocks.
 */
public final class ClientsWithoutLogin {

    public static final int MAX = 10_000;

    private static final int MAX_TEXT = 256;
    /** Clients describe themselves, so any number of descriptions can come. */
    private static final int LINES_A_MINUTE = 60;

    private static final int CONNECTIONS_BEFORE_CHECK = 64;
    private static final Logger log = LoggerFactory.getLogger(ClientsWithoutLogin.class);

    private final boolean rehearsal;
    private final Clock clock;
    private final long sinceMillis;
    private final LogLines lines;
    private final LongAdder withoutLogin = new LongAdder();
    private final LongAdder withoutRight = new LongAdder();
    private final LongAdder forgotten = new LongAdder();
    private final Cache<Sighting, Counts> seen = Caffeine.newBuilder()
            .maximumSize(MAX)
            .executor(Runnable::run)
            .evictionListener((key, value, cause) -> {
                if (cause == RemovalCause.SIZE) {
                    forgotten.increment();
                }
            })
            .build();

    /** A connection that may outlive the requests on it. */
    public interface Presence {
        boolean isClosed();
    }

    /**
     * A client by its own unverified description.
     *
     * @param address of the socket, or as reported by a trusted proxy
     * @param application empty when unknown, as is the SDK
     * @param user the name in the credentials; empty without a proved name
     * @param connection null for single requests
     */
    public record Client(
            String protocol,
            String address,
            String application,
            String sdk,
            String user,
            @Nullable Presence connection) {

        public Client {
            application = cut(application);
            sdk = cut(sdk);
        }

        private static String cut(String text) {
            return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
        }
    }

    private record Sighting(
            String protocol,
            String address,
            String application,
            String sdk,
            String user,
            String namespace,
            Denial denial,
            String right) {}

    private static final class Counts {

        final long sinceMillis;
        final LongAdder requests = new LongAdder();
        final Set<Presence> connections = ConcurrentHashMap.newKeySet();
        volatile long lastMillis;

        Counts(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }

        void connected(Presence connection) {
            if (connections.add(connection) && connections.size() > CONNECTIONS_BEFORE_CHECK) {
                connections.removeIf(Presence::isClosed);
            }
        }

        boolean isConnected() {
            connections.removeIf(Presence::isClosed);
            return !connections.isEmpty();
        }
    }

    /**
     * A client and its lack.
     *
     * @param reason {@code login}, {@code token} when it is not valid, or {@code right}
     * @param right as an administrator grants it: {@code w dev:*:config/*}; empty when a login is enough
     * @param lastSeen epoch milliseconds, now while it is connected
     */
    public record Seen(
            String address,
            String application,
            String sdk,
            String protocol,
            String namespace,
            String user,
            String reason,
            String right,
            long requests,
            long since,
            long lastSeen,
            boolean connected) {}

    /** @param rehearsal whether rights count too */
    public ClientsWithoutLogin(boolean rehearsal, Clock clock) {
        this.rehearsal = rehearsal;
        this.clock = clock;
        this.sinceMillis = clock.millis();
        this.lines = new LogLines(LINES_A_MINUTE, clock);
    }

    public boolean isRehearsal() {
        return rehearsal;
    }

    /** Epoch milliseconds of the start. */
    public long sinceMillis() {
        return sinceMillis;
    }

    /** Whether more clients came than are remembered. */
    public boolean isIncomplete() {
        return forgotten.sum() > 0;
    }

    /** Requests of unknown callers that were served. */
    public long withoutLogin() {
        return withoutLogin.sum();
    }

    /** Requests of known callers without the right that were served; 0 without a rehearsal. */
    public long withoutRight() {
        return withoutRight.sum();
    }

    /**
     * Notes a served request.
     *
     * @param denial the answer it would have with a login
     * @param wanted the right that was asked for
     */
    public void served(Client client, Denial denial, RightWanted wanted) {
        (denial == Denial.NO_RIGHT ? withoutRight : withoutLogin).increment();
        Sighting sighting = new Sighting(
                client.protocol,
                client.address,
                client.application,
                client.sdk,
                client.user,
                wanted.namespace().id(),
                denial,
                wanted.right());
        long now = clock.millis();
        Counts counts = seen.getIfPresent(sighting);
        if (counts == null) {
            counts = seen.get(sighting, key -> first(key, now));
        }
        counts.requests.increment();
        counts.lastMillis = now;
        if (client.connection != null) {
            counts.connected(client.connection);
        }
    }

    private Counts first(Sighting sighting, long now) {
        if (rehearsal && lines.next() != LogLines.NONE) {
            log.warn(
                    "Rehearsal: if clients needed a login, requests for '{}' of {} at {} (application '{}', {}) would be refused: {}",
                    sighting.right,
                    sighting.user.isEmpty() ? "a client without credentials" : sighting.user,
                    sighting.address,
                    sighting.application,
                    sighting.sdk,
                    switch (sighting.denial) {
                        case NO_USER -> "no login";
                        case NO_RIGHT -> "the right is missing";
                        case BAD_TOKEN, BAD_SIGNATURE, EXPIRED -> sighting.denial.text();
                    });
        }
        return new Counts(now);
    }

    /** The clients that came, each with its lack. */
    public List<Seen> list() {
        long now = clock.millis();
        List<Seen> all = new ArrayList<>();
        seen.asMap().forEach((key, counts) -> {
            boolean connected = counts.isConnected();
            all.add(new Seen(
                    key.address,
                    key.application,
                    key.sdk,
                    key.protocol,
                    key.namespace,
                    key.user,
                    reason(key.denial),
                    key.right,
                    counts.requests.sum(),
                    counts.sinceMillis,
                    connected ? now : counts.lastMillis,
                    connected));
        });
        return all;
    }

    private static String reason(Denial denial) {
        return switch (denial) {
            case NO_USER -> "login";
            case BAD_TOKEN, BAD_SIGNATURE, EXPIRED -> "token";
            case NO_RIGHT -> "right";
        };
    }
}
