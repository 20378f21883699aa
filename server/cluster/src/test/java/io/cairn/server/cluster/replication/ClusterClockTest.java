package io.cairn.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.SettableClock;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClusterClockTest {

    private final SettableClock machine = new SettableClock();
    private final ClusterClock clock = new ClusterClock(machine);

    @Test
    void followsAFasterNodeAndContinuesAtItsPace() {
        long start = machine.millis();
        assertThat(clock.millis()).isEqualTo(start);
        assertThat(clock.follow(start + 10_000)).isTrue();
        assertThat(clock.millis()).isEqualTo(start + 10_000);
        machine.advance(Duration.ofMillis(300));
        assertThat(clock.millis()).isEqualTo(start + 10_300);
        assertThat(clock.follow(start)).isTrue();
        assertThat(clock.millis()).isEqualTo(start + 10_300);
    }

    @Test
    void neverGoesBackWhenTheMachineDoes() {
        long stamp = clock.stamp();
        long millis = clock.millis();
        machine.advance(Duration.ofSeconds(-30));
        assertThat(clock.millis()).isEqualTo(millis);
        assertThat(clock.stamp()).isGreaterThan(stamp);
    }

    @Test
    void givesEachStampOnce() {
        long first = clock.stamp();
        long second = clock.stamp();
        assertThat(second).isGreaterThan(first);
        assertThat(ClusterClock.millisOf(second)).isEqualTo(machine.millis());
    }

    @Test
    void stampIsLaterThanTheStampThatWasFollowed() {
        ClusterClock faster = new ClusterClock(Clock.offset(machine, Duration.ofSeconds(40)));
        long theirs = faster.stamp();
        assertThat(clock.followStamp(theirs)).isTrue();
        assertThat(clock.millis()).isGreaterThanOrEqualTo(ClusterClock.millisOf(theirs));
        machine.advance(Duration.ofMillis(1));
        assertThat(clock.stamp()).isGreaterThan(theirs);
    }

    @Test
    void doesNotFollowClockThatIsSetWrong() {
        long start = clock.millis();
        assertThat(clock.follow(start + ClusterClock.MAX_AHEAD.toMillis() + 1)).isFalse();
        assertThat(clock.millis()).isEqualTo(start);
        assertThat(clock.follow(start + ClusterClock.MAX_AHEAD.toMillis())).isTrue();
    }
}
