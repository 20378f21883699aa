package io.cairn.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SeenRevisionTest {

    private final AtomicLong now = new AtomicLong();
    private final SeenRevision seen = new SeenRevision(now::get);

    private static Payload answer(String revision) {
        return Payload.of("T", null, Map.of(RevisionHeaders.REVISION, revision), new byte[] {'{', '}'});
    }

    @Test
    void requestsTheRevisionOfFormerWritesAndReads() {
        assertThat(seen.least()).isZero();
        seen.written(answer("7"));
        assertThat(seen.least()).isEqualTo(7);
        assertThat(seen.isBehind(answer("9"), 7)).isFalse();
        assertThat(seen.least()).isEqualTo(9);
        seen.written(answer("8"));
        assertThat(seen.least()).as("it never goes down").isEqualTo(9);
    }

    @Test
    void anAnswerThatShowsLessThanAskedForDoesNotCount() {
        seen.written(answer("9"));
        assertThat(seen.isBehind(answer("8"), 9)).isTrue();
        assertThat(seen.isBehind(answer("9"), 9)).isFalse();
        assertThat(seen.least()).isEqualTo(9);
    }

    @Test
    void serverWithoutRevisionIsNotBehind() {
        seen.written(answer("9"));
        Payload plain = Payload.of("T", new byte[] {'{', '}'});
        assertThat(seen.isBehind(plain, 9)).isFalse();
        assertThat(seen.isBehind(answer("x"), 9)).isFalse();
        assertThat(seen.least()).isEqualTo(9);
    }

    @Test
    void serversThatStayBehindHaveGoneBackAndAreBelieved() {
        seen.written(answer("100"));
        assertThat(seen.isBehind(answer("40"), 100)).isTrue();
        now.addAndGet(SeenRevision.LONGEST_BEHIND.toNanos());
        assertThat(seen.isBehind(answer("40"), 100)).isTrue();
        assertThat(seen.least()).isEqualTo(100);
        now.addAndGet(1);
        assertThat(seen.isBehind(answer("41"), 100)).isTrue();
        assertThat(seen.least()).as("asked for from now on").isEqualTo(41);
        assertThat(seen.isBehind(answer("41"), 41)).isFalse();
    }

    @Test
    void anUpToDateServerRestartsTheTimeout() {
        seen.written(answer("100"));
        assertThat(seen.isBehind(answer("40"), 100)).isTrue();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(seen.isBehind(answer("100"), 100)).isFalse();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(seen.isBehind(answer("40"), 100)).isTrue();
        assertThat(seen.least()).isEqualTo(100);
    }
}
