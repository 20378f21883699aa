package io.cairn.server.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FollowingTest {

    private long nanos = 1;
    private final Following following = new Following(() -> nanos);

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private void follow() {
        following.attempt();
        following.step("reading the change log");
        following.followed(true);
    }

    private void fail(String why) {
        following.attempt();
        following.step("comparing rows");
        following.failed(why);
    }

    @Test
    void aFailureNeedsAttentionWhenItHasLastedForSomeSeconds() {
        follow();
        pass(Duration.ofSeconds(1));
        fail("a table is missing");
        pass(Duration.ofSeconds(3));
        assertThat(following.state().needsAttention()).isFalse();

        fail("another table is missing");
        pass(Duration.ofMillis(1));

        Following.State state = following.state();
        assertThat(state.needsAttention()).isTrue();
        assertThat(state.failing()).isEqualTo(Duration.ofMillis(3_001));
        assertThat(state.following()).isZero();
        assertThat(state.cause()).isEqualTo("another table is missing");
        assertThat(state.sinceCompared()).isEqualTo(Duration.ofMillis(4_001));
    }

    @Test
    void aSuccessEndsAFailureAndBeginsANewTimeOfFollowing() {
        follow();
        pass(Duration.ofSeconds(10));
        fail("a table is missing");
        pass(Duration.ofSeconds(5));
        follow();
        pass(Duration.ofSeconds(2));
        follow();

        assertThat(following.state())
                .isEqualTo(new Following.State(Duration.ZERO, Duration.ofSeconds(2), Duration.ZERO, ""));
    }

    @Test
    void aStepThatTakesLongIsAFailureFromItsBegin() {
        follow();
        following.attempt();
        following.step("reading the change log");
        pass(Duration.ofSeconds(3));
        following.step("reading accounts again");
        pass(Duration.ofSeconds(3));
        assertThat(following.state().failing()).isZero();

        pass(Duration.ofSeconds(1));

        Following.State slow = following.state();
        assertThat(slow.failing()).isEqualTo(Duration.ofSeconds(4));
        assertThat(slow.cause()).isEqualTo("reading accounts again takes long");
        following.followed(false);
        assertThat(following.state().failing()).isZero();
        assertThat(following.state().following()).as("it begins again").isZero();
        assertThat(following.state().sinceCompared()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aPartThatHasNotBegunNeitherFollowsNorFails() {
        assertThat(following.state()).isEqualTo(new Following.State(Duration.ZERO, Duration.ZERO, null, ""));
    }

    @Test
    void aComparisonIsAskedForUntilOneSucceeds() {
        AtomicInteger woken = new AtomicInteger();
        following.onAsk(woken::incrementAndGet);
        assertThat(following.isComparisonAsked()).isFalse();

        following.askComparison();

        assertThat(woken).hasValue(1);
        following.attempt();
        following.followed(false);
        fail("a table is missing");
        assertThat(following.isComparisonAsked()).isTrue();
        follow();
        assertThat(following.isComparisonAsked()).isFalse();
    }

    @Test
    void aFailureIsAFindingUnlessTheDatabaseIsAway() {
        SettableClock clock = new SettableClock();
        AtomicBoolean isAway = new AtomicBoolean();
        FollowingFindings findings = new FollowingFindings(
                List.of(
                        new FollowingFindings.Follower("changes", true, following),
                        new FollowingFindings.Follower("mirror", false, new Following(() -> nanos))),
                isAway::get,
                clock);
        fail("a table is missing");
        pass(Duration.ofSeconds(2));
        assertThat(findings.findings(Namespace.DEFAULT)).isEmpty();
        pass(Duration.ofSeconds(2));

        assertThat(findings.findings(Namespace.DEFAULT))
                .containsExactly(new Finding(
                        Finding.Kind.FOLLOWING_FAILS,
                        true,
                        "changes",
                        "",
                        "a table is missing",
                        0,
                        0,
                        clock.millis() - 4_000,
                        ""));
        isAway.set(true);
        assertThat(findings.findings(Namespace.DEFAULT)).isEmpty();
    }

    @Test
    void waitsAfterAFailureAndWhileAStepTakesLong() {
        follow();
        assertThat(following.isWaiting()).isFalse();
        following.attempt();
        following.step("reading the change log");
        pass(Duration.ofMillis(500));
        assertThat(following.isWaiting()).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(following.isWaiting()).isTrue();
        following.followed(false);
        assertThat(following.isWaiting()).isFalse();

        fail("a table is missing");
        assertThat(following.isWaiting()).isTrue();
        follow();
        assertThat(following.isWaiting()).isFalse();
    }
}
