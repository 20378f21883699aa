package io.cairn.server.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogLinesTest {

    private final SettableClock clock = new SettableClock();

    @Test
    void passesSoManyLinesAMinuteAndCountsTheOthers() {
        LogLines lines = new LogLines(2, clock);

        assertThat(lines.next()).isZero();
        assertThat(lines.next()).isZero();
        assertThat(lines.next()).isEqualTo(LogLines.NONE);
        assertThat(lines.leaveOut()).isEqualTo(LogLines.NONE);

        clock.advance(Duration.ofMinutes(1));
        assertThat(lines.next()).isEqualTo(2);
        assertThat(lines.next()).isZero();
    }
}
