package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.limit.Limit;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class UnreadAnswersTest {

    private static final int BYTES = 100_000;

    private final Limit limit = new Limit("unread-answer-bytes", "a.setting", 3 * BYTES);
    private final UnreadAnswers unread = new UnreadAnswers(new AnswerMemory(limit));

    private static Payload answer() {
        return Payload.of("Answer", new byte[BYTES]);
    }

    @Test
    void readersOfOneAnswerShareItsMemory() {
        Payload shared = answer();
        for (int i = 0; i < 1000; i++) {
            assertThat(unread.hold(shared)).isTrue();
        }
        assertThat(limit.used()).isEqualTo(shared.encodedLength());
        for (int i = 0; i < 999; i++) {
            unread.release(shared);
        }
        assertThat(limit.used()).isEqualTo(shared.encodedLength());
        unread.release(shared);
        assertThat(limit.used()).isZero();
    }

    @Test
    void equalAnswersThatAreInMemoryTwiceCountTwice() {
        Payload one = answer();
        Payload other = answer();
        assertThat(unread.hold(one)).isTrue();
        assertThat(unread.hold(other)).isTrue();
        assertThat(limit.used()).isEqualTo(2L * one.encodedLength());
    }

    @Test
    void refusesOneMoreWithTheLimitUntilOthersAreRead() {
        Payload first = answer();
        assertThat(unread.hold(first)).isTrue();
        assertThat(unread.hold(answer())).isTrue();
        Payload refused = answer();
        assertThat(unread.hold(refused)).isFalse();
        assertThat(new String(unread.refusal(refused).encoded(), StandardCharsets.UTF_8))
                .contains("Limit unread-answer-bytes: ", "a.setting");
        assertThat(limit.timesExceeded()).isEqualTo(1);

        unread.release(first);
        assertThat(unread.hold(refused)).isTrue();
    }
}
