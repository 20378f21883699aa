package io.cairn.server.auth;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AuthenticatorTest {

    /** Fails when it is read on another thread than the test's. */
    private static final class NoClockElsewhere extends Clock {

        private final Thread here = Thread.currentThread();

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            if (Thread.currentThread() != here) {
                throw new OutOfMemoryError("no room for a password");
            }
            return Instant.EPOCH;
        }
    }

    @Test
    void loginFailsWhenMemoryIsShort() {
        Clock clock = new NoClockElsewhere();
        ExecutorService hashing = Executors.newSingleThreadExecutor();
        try {
            Authenticator authenticator = new Authenticator(
                    new Accounts(null),
                    new UserTokens(SigningKeys.of(new byte[32]), clock, Duration.ofHours(1)),
                    IssuerTokens.NONE,
                    new LoginThrottle(
                            new LoginThrottle.Limits(9, 9, 9, Duration.ofSeconds(1), Duration.ofSeconds(1)), clock),
                    null,
                    clock,
                    hashing);

            CompletableFuture<Authenticator.Login> login =
                    authenticator.login("somebody", "a-password", "127.0.0.1").toCompletableFuture();

            assertThatThrownBy(() -> login.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(OutOfMemoryError.class);
        } finally {
            hashing.shutdownNow();
        }
    }
}
