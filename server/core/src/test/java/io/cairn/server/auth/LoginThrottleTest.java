package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LoginThrottleTest {

    private Instant now = Instant.parse("2026-01-02T03:04:05Z");

    private static final LoginThrottle.Limits LIMITS =
            new LoginThrottle.Limits(5, 20, 50, Duration.ofSeconds(10), Duration.ofMinutes(15));

    private final Clock clock = new Clock() {
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
            return now;
        }
    };
    private final LoginThrottle throttle = new LoginThrottle(LIMITS, clock);

    private void fail(String user, String address, int times) {
        for (int i = 0; i < times; i++) {
            throttle.failed(user, address);
        }
    }

    @Test
    void theFifthFailureMustWaitAndEachFurtherOneTwiceAsLong() {
        fail("anna", "10.0.0.1", 4);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();

        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(10));
        now = now.plusSeconds(10);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(20));
        fail("anna", "10.0.0.1", 10);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofMinutes(15));
    }

    @Test
    void guessesAtAnotherAddressDoNotLockOutTheUser() {
        fail("anna", "10.0.0.66", 19);

        assertThat(throttle.waitOf("anna", "10.0.0.66")).isPositive();
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
        assertThat(throttle.waitOf("ben", "10.0.0.66")).isZero();
    }

    @Test
    void anAddressThatTriesManyUsersIsStopped() {
        for (int i = 0; i < 20; i++) {
            fail("user" + i, "10.0.0.66", 1);
        }

        assertThat(throttle.waitOf("somebody", "10.0.0.66")).isPositive();
        assertThat(throttle.waitOf("somebody", "10.0.0.1")).isZero();
    }

    @Test
    void manyAddressesThatTryOneUserAreStopped() {
        for (int i = 0; i < 50; i++) {
            fail("anna", "10.0.0." + i, 1);
        }

        assertThat(throttle.waitOf("anna", "10.0.1.1")).isPositive();
        assertThat(throttle.waitOf("ben", "10.0.0.1")).isZero();
    }

    @Test
    void loginResetsTheFailures() {
        fail("anna", "10.0.0.1", 4);
        throttle.succeeded("anna", "10.0.0.1");
        fail("anna", "10.0.0.1", 4);

        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
    }

    @Test
    void failuresOnSeveralNodesCountTogether() {
        LoginThrottle other = new LoginThrottle(LIMITS, clock);
        throttle.follow(notifying(other));
        other.follow(notifying(throttle));

        for (int i = 0; i < 2; i++) {
            throttle.failed("anna", "10.0.0.1");
            other.failed("anna", "10.0.0.1");
        }
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
        assertThat(other.waitOf("anna", "10.0.0.1")).isZero();

        throttle.failed("anna", "10.0.0.1");

        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(10));
        assertThat(other.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(10));
        for (int i = 0; i < 15; i++) {
            other.failed("user" + i, "10.0.0.1");
        }
        assertThat(throttle.waitOf("somebody", "10.0.0.1"))
                .as("an address that tries many users on several nodes")
                .isPositive();
    }

    private static LoginThrottle.Listener notifying(LoginThrottle other) {
        return new LoginThrottle.Listener() {
            @Override
            public void failed(String user, String address) {
                other.failedElsewhere(user, address, 1);
            }

            @Override
            public void succeeded(String user, String address) {
                other.succeededElsewhere(user, address);
            }
        };
    }

    @Test
    void loginOnOneNodeResetsTheFailuresOnAll() {
        LoginThrottle other = new LoginThrottle(LIMITS, clock);
        throttle.follow(notifying(other));
        other.follow(notifying(throttle));
        for (int i = 0; i < 2; i++) {
            throttle.failed("anna", "10.0.0.1");
            other.failed("anna", "10.0.0.1");
        }

        throttle.succeeded("anna", "10.0.0.1");
        for (int i = 0; i < 2; i++) {
            throttle.failed("anna", "10.0.0.1");
            other.failed("anna", "10.0.0.1");
        }

        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
        assertThat(other.waitOf("anna", "10.0.0.1")).isZero();
        other.failed("anna", "10.0.0.1");
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isPositive();
    }

    @Test
    void manyFailuresOfOneMessageCountAsManyAndAreNotReportedAgain() {
        throttle.follow(new LoginThrottle.Listener() {
            @Override
            public void failed(String user, String address) {
                throw new AssertionError("counted elsewhere");
            }

            @Override
            public void succeeded(String user, String address) {
                throw new AssertionError("counted elsewhere");
            }
        });

        throttle.failedElsewhere("anna", "10.0.0.1", 6);
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(20));

        throttle.failedElsewhere("anna", "10.0.0.1", Long.MAX_VALUE);
        throttle.failedElsewhere("ben", "10.0.0.2", -1);
        throttle.succeededElsewhere("ben", "10.0.0.2");
        assertThat(throttle.waitOf("anna", "10.0.0.1")).isEqualTo(Duration.ofMinutes(15));
        assertThat(throttle.waitOf("ben", "10.0.0.2")).isZero();
    }

    @Test
    void failuresAreForgottenInTime() {
        fail("anna", "10.0.0.1", 4);
        now = now.plus(Duration.ofMinutes(16));
        fail("anna", "10.0.0.1", 4);

        assertThat(throttle.waitOf("anna", "10.0.0.1")).isZero();
    }
}
