package io.cairn.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.limit.Limit;
import org.junit.jupiter.api.Test;

class MemoryLeaseTest {

    private static final int SMALL = MemoryBudget.SMALL_BYTES;

    private final Limit limit = new Limit("unread-answer-bytes", "a.setting", 10L * SMALL);
    private final AnswerMemory memory = new AnswerMemory(limit);
    private final MemoryLease one = memory.lease();
    private final MemoryLease other = memory.lease();

    @Test
    void leasesOfAllResponsesCountTogether() {
        one.reserve(6L * SMALL);

        assertThat(other.tryReserve(5L * SMALL)).isFalse();
        assertThat(other.tryReserve(4L * SMALL)).isTrue();
        assertThat(limit.used()).isEqualTo(10L * SMALL);
        assertThat(other.hasRoom(1)).isFalse();
        one.adjustTo(5L * SMALL);
        assertThat(other.hasRoom(SMALL)).isTrue();
        assertThat(other.hasRoom(2L * SMALL)).isFalse();
        one.close();
        assertThat(other.hasRoom(100L * SMALL)).isTrue();
    }

    @Test
    void aRefusalNamesTheLimitAndIsCounted() {
        one.reserve(6L * SMALL);

        assertThatThrownBy(() -> other.reserve(5L * SMALL))
                .isInstanceOf(NoRoomException.class)
                .satisfies(
                        refused -> assertThat(((CairnException) refused).code()).isEqualTo(ErrorCode.BUSY))
                .hasMessageStartingWith("Limit unread-answer-bytes: " + 11L * SMALL + " (expected: at most "
                        + 10L * SMALL + ", a.setting): too many large answers wait to be read");
        assertThat(limit.timesExceeded()).isEqualTo(1);
        assertThat(other.taken()).isZero();
    }

    @Test
    void aResponseThatIsAloneMayTakeMoreThanThereIs() {
        one.reserve(SMALL);
        one.reserve(20L * SMALL);

        assertThat(limit.used()).isEqualTo(21L * SMALL);
        assertThat(other.tryReserve(1)).isFalse();
    }

    @Test
    void aContentCountsAsOftenAsItIsInMemoryAndASmallOneNotAtAll() {
        one.reserveContent(SMALL);
        assertThat(one.taken()).isZero();

        one.reserveContent(2L * SMALL);
        assertThat(one.taken()).isEqualTo(6L * SMALL);
        assertThat(other.tryReserveContent(2L * SMALL)).isFalse();
        assertThat(other.tryReserveContent(SMALL)).isTrue();
    }

    @Test
    void coversWhatHasBeenWrittenAndLetsGoOfWhatHasBeenSent() {
        one.cover(3L * SMALL);
        one.cover(2L * SMALL);
        assertThat(one.taken()).isEqualTo(3L * SMALL);

        one.adjustTo(SMALL);
        assertThat(limit.used()).isEqualTo(SMALL);
        one.adjustTo(12L * SMALL);
        assertThat(limit.used()).isEqualTo(12L * SMALL);
    }

    @Test
    void aClosedLeaseGivesAllBackAndTakesNothingAnyMore() {
        one.reserve(6L * SMALL);
        one.close();
        one.close();
        one.adjustTo(3);

        assertThat(limit.used()).isZero();
        assertThat(one.tryReserve(1)).isFalse();
        assertThatThrownBy(() -> one.reserve(1))
                .isInstanceOf(NoRoomException.class)
                .hasMessage("The client has gone");
        assertThat(limit.timesExceeded()).isZero();
    }
}
