package io.cairn.server.rpc;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.admission.AnswerMemory;
import java.util.concurrent.ConcurrentHashMap;

/** The unread large answers of all connections. Each counts once, however many clients get it. */
final class UnreadAnswers {

    private final AnswerMemory memory;
    private final ConcurrentHashMap<Held, Integer> readers = new ConcurrentHashMap<>();

    UnreadAnswers(AnswerMemory memory) {
        this.memory = memory;
    }

    /** One answer, by identity. */
    private record Held(Payload answer) {

        @Override
        @SuppressWarnings("ReferenceEquality") // Equal answers are in memory twice
        public boolean equals(Object other) {
            return other instanceof Held that && that.answer == answer;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(answer);
        }
    }

    /** Takes an answer's memory until {@link #release}; false without free memory. */
    boolean hold(Payload answer) {
        Integer count = readers.compute(new Held(answer), (key, before) -> {
            if (before != null) {
                return before + 1;
            }
            return memory.budget().tryReserve(answer.encodedLength()) ? 1 : null;
        });
        return count != null;
    }

    void release(Payload answer) {
        readers.computeIfPresent(new Held(answer), (key, before) -> {
            if (before > 1) {
                return before - 1;
            }
            memory.budget().release(answer.encodedLength());
            return null;
        });
    }

    /** The answer in place of one refused by {@link #hold}. */
    Payload refusal(Payload refused) {
        return WireResponse.error(WireError.OVER_THRESHOLD, memory.refusal(refused.encodedLength()));
    }
}
