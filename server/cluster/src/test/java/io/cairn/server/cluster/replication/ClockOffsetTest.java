package io.cairn.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockOffsetTest {

    private final ClockOffset offset = new ClockOffset();

    @Test
    void isUnknownBeforeTheFirstHeartbeat() {
        assertThat(offset.millis()).isNull();
    }

    @Test
    void passesOverHeartbeatsThatWereUnderWayForLong() {
        offset.note(10_500, 10_000);
        offset.note(11_500, 12_400);

        assertThat(offset.millis()).isEqualTo(500);
    }

    @Test
    void followsAClockThatIsSetBack() {
        offset.note(70_000, 10_000);
        for (int i = 0; i < ClockOffset.KEPT; i++) {
            offset.note(11_000 + i, 12_000 + i);
        }

        assertThat(offset.millis()).isEqualTo(-1_000);
    }
}
