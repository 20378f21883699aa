package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogThrottleTest {

    private final SettableClock clock = new SettableClock();
    private final LogThrottle throttle = new LogThrottle(Duration.ofMinutes(1), 2, clock);

    @Test
    void admitsASubjectOnceInAnInterval() {
        assertThat(throttle.admits("a")).isTrue();
        assertThat(throttle.admits("a")).isFalse();
        assertThat(throttle.admits("b")).isTrue();
        clock.advance(Duration.ofSeconds(59));
        assertThat(throttle.admits("a")).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(throttle.admits("a")).isTrue();
    }

    @Test
    void admitsNoMoreSubjectsThanTheLimitUntilOneIsOld() {
        assertThat(throttle.admits("a")).isTrue();
        clock.advance(Duration.ofSeconds(30));
        assertThat(throttle.admits("b")).isTrue();
        assertThat(throttle.admits("c")).isFalse();
        clock.advance(Duration.ofSeconds(30));
        assertThat(throttle.admits("c")).isTrue();
        assertThat(throttle.admits("d")).isFalse();
    }
}
