package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitedCheckTest {

    private final AwaitedCheck checks = new AwaitedCheck();
    private final AtomicInteger woken = new AtomicInteger();

    private CompletableFuture<Boolean> ask() {
        return checks.ask(woken::incrementAndGet);
    }

    @Test
    void allThatAskBeforeALookBeginsWaitForTheSameOne() {
        CompletableFuture<Boolean> first = ask();

        assertThat(ask()).isSameAs(first);
        assertThat(woken).hasValue(1);
        assertThat(checks.begin()).isSameAs(first);
    }

    @Test
    void aLookThatHasBegunMayHaveMissedSomethingForLaterCallers() {
        CompletableFuture<Boolean> first = ask();
        checks.begin();

        assertThat(ask()).isNotSameAs(first);
        assertThat(woken).hasValue(2);
    }

    @Test
    void aLookThatNobodyWaitsForHasNothingToComplete() {
        assertThat(checks.begin()).isNull();
        ask();
        assertThat(checks.begin()).isNotNull();
        assertThat(checks.begin()).isNull();
    }
}
