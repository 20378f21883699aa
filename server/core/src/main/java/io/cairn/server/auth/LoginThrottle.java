package io.cairn.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Limits password guessing. Counts failures for a user at one address, for an address, and for a user at all addresses. Above a
 * limit, attempts are refused without a check, for a time that doubles with each failure. The limit of a user at all addresses is
 * much higher, so that an attacker cannot easily lock out a user. Bounded memory.
 */
public final class LoginThrottle {

    private static final int REMEMBERED = 50_000;
    private static final int MOST_AT_ONCE = 1_000_000;

    private final Limits limits;
    private final Clock clock;
    private final Cache<Key, Failures> failures;
    private volatile Listener listener = new Listener() {
        @Override
        public void failed(String user, String address) {}

        @Override
        public void succeeded(String user, String address) {}
    };

    /**
     * @param perUserAndAddress failures before that pair must wait
     * @param perAddress failures of all users at one address
     * @param perUser failures of one user at all addresses
     * @param shortest the first wait
     * @param longest the longest wait, and the memory of failures
     */
    public record Limits(int perUserAndAddress, int perAddress, int perUser, Duration shortest, Duration longest) {}

    /** Receives the attempts counted here, for the other nodes. Called on the counting thread; must not block. */
    public interface Listener {

        void failed(String user, String address);

        /** A right password, which resets the count. */
        void succeeded(String user, String address);
    }

    private record Key(String user, String address) {}

    private record Failures(int count, long lockedUntilMillis) {}

    public LoginThrottle(Limits limits, Clock clock) {
        this.limits = limits;
        this.clock = clock;
        Ticker ticker = () -> TimeUnit.MILLISECONDS.toNanos(clock.millis());
        this.failures = Caffeine.newBuilder()
                .maximumSize(REMEMBERED)
                .expireAfterWrite(limits.longest())
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Zero if the next attempt is checked at once. */
    public Duration waitOf(String user, String address) {
        long until = Math.max(lockedUntil(user, address), lockedUntil(new Key(user, "")));
        return Duration.ofMillis(Math.max(0, until - clock.millis()));
    }

    /** Whether attempts at this address make the user wait there; others may have to wait as well. */
    public boolean isLocked(String user, String address) {
        return lockedUntil(user, address) > clock.millis();
    }

    private long lockedUntil(String user, String address) {
        return Math.max(lockedUntil(new Key(user, address)), lockedUntil(new Key("", address)));
    }

    private long lockedUntil(Key key) {
        Failures known = failures.getIfPresent(key);
        return known == null ? 0 : known.lockedUntilMillis;
    }

    public void follow(Listener other) {
        listener = other;
    }

    public void failed(String user, String address) {
        count(user, address, 1);
        listener.failed(user, address);
    }

    /** Counts another node's failures, without a call of the listener. */
    public void failedElsewhere(String user, String address, long times) {
        if (times > 0) {
            count(user, address, (int) Math.min(times, MOST_AT_ONCE));
        }
    }

    private void count(String user, String address, int times) {
        count(new Key(user, address), limits.perUserAndAddress(), times);
        count(new Key("", address), limits.perAddress(), times);
        count(new Key(user, ""), limits.perUser(), times);
    }

    private void count(Key key, int allowed, int times) {
        failures.asMap().compute(key, (k, known) -> {
            int count = Math.min(MOST_AT_ONCE, (known == null ? 0 : known.count) + times);
            if (count < allowed) {
                return new Failures(count, 0);
            }
            long wait = limits.shortest().toMillis() << Math.min(20, count - allowed);
            return new Failures(
                    count, clock.millis() + Math.min(wait, limits.longest().toMillis()));
        });
    }

    /** Resets the failures of a user at one address. */
    public void succeeded(String user, String address) {
        succeededElsewhere(user, address);
        listener.succeeded(user, address);
    }

    /** As {@link #succeeded} on another node, without a call of the listener. */
    public void succeededElsewhere(String user, String address) {
        failures.invalidate(new Key(user, address));
    }
}
