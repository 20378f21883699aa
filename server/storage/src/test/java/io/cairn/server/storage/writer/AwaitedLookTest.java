package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitedLookTest {

    private final AwaitedLook looks = new AwaitedLook();
    private final AtomicInteger woken = new AtomicInteger();

    private CompletableFuture<Boolean> ask() {
        return looks.ask(woken::incrementAndGet);
    }

    @Test
    void allThatAskBeforeALookBeginsWaitForTheSameOne() {
        CompletableFuture<Boolean> first = ask();

        assertThat(ask()).isSameAs(first);
        assertThat(woken).hasValue(1);
        assertThat(looks.begin()).isSameAs(first);
    }

    @Test
    void aLookThatHasBegunMayHaveMissedSomethingForLaterCallers() {
        CompletableFuture<Boolean> first = ask();
        looks.begin();

        assertThat(ask()).isNotSameAs(first);
        assertThat(woken).hasValue(2);
    }

    @Test
    void aLookThatNobodyWaitsForHasNothingToComplete() {
        assertThat(looks.begin()).isNull();
        ask();
        assertThat(looks.begin()).isNotNull();
        assertThat(looks.begin()).isNull();
    }
}
