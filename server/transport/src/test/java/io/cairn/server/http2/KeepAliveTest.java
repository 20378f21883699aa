package io.cairn.server.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeepAliveTest {

    // The clock of System.nanoTime() may pass its largest value at any time.
    private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);

    private final KeepAlive keepAlive = new KeepAlive(10_000, 60_000, 20_000, START);

    private static long at(long seconds) {
        return START + TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void pingsAsOftenAsPermittedAreTaken() {
        for (int second = 0; second < 100; second += 10) {
            assertThat(keepAlive.permits(at(second))).isTrue();
        }
    }

    @Test
    void theThirdPingThatIsTooSoonIsOneTooMany() {
        assertThat(keepAlive.permits(at(0))).isTrue();
        assertThat(keepAlive.permits(at(1))).isTrue();
        assertThat(keepAlive.permits(at(2))).isTrue();
        assertThat(keepAlive.permits(at(3))).isFalse();
    }

    @Test
    void sentFramesResetThePingCount() {
        for (int i = 0; i < 50; i++) {
            assertThat(keepAlive.permits(at(0))).isTrue();
            keepAlive.sent();
        }
    }

    @Test
    void pingsASilentClientAndThenClosesItsConnection() {
        assertThat(keepAlive.waitNanos(at(0))).isEqualTo(TimeUnit.SECONDS.toNanos(60));
        assertThat(keepAlive.due(at(59))).isEqualTo(KeepAlive.Due.NOTHING);
        assertThat(keepAlive.due(at(60))).isEqualTo(KeepAlive.Due.PING);
        assertThat(keepAlive.waitNanos(at(60))).isEqualTo(TimeUnit.SECONDS.toNanos(20));
        assertThat(keepAlive.due(at(79))).isEqualTo(KeepAlive.Due.NOTHING);
        assertThat(keepAlive.due(at(80))).isEqualTo(KeepAlive.Due.HANG_UP);
    }

    @Test
    void doesNotPingAnActiveClient() {
        keepAlive.heard(at(30));
        assertThat(keepAlive.due(at(60))).isEqualTo(KeepAlive.Due.NOTHING);
        assertThat(keepAlive.waitNanos(at(60))).isEqualTo(TimeUnit.SECONDS.toNanos(30));
        assertThat(keepAlive.due(at(90))).isEqualTo(KeepAlive.Due.PING);
        keepAlive.heard(at(91));
        assertThat(keepAlive.due(at(110))).isEqualTo(KeepAlive.Due.NOTHING);
        assertThat(keepAlive.due(at(151))).isEqualTo(KeepAlive.Due.PING);
    }
}
