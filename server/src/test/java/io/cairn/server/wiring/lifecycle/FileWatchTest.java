package io.cairn.server.wiring.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileWatchTest {

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final AtomicInteger looks = new AtomicInteger();

    @Test
    void theNextLookIsAnIntervalAfterTheLastHasEnded() throws Exception {
        FileWatch watch = new FileWatch(looks::incrementAndGet, Duration.ofSeconds(10), loop, pool::add);
        loop.pass(Duration.ofSeconds(9));
        assertThat(pool).isEmpty();

        loop.pass(Duration.ofSeconds(100));
        assertThat(pool).as("one that takes long").hasSize(1);
        pool.remove().run();
        assertThat(looks).hasValue(1);
        loop.pass(Duration.ofSeconds(11));
        assertThat(pool).hasSize(1);

        watch.close();
        pool.remove().run();
        assertThat(loop.waits()).as("the timer may have ended").isEmpty();
    }

    @Test
    void aLookThatFailsOrFindsNoRoomIsNotTheLast() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        new FileWatch(
                () -> {
                    throw new IllegalStateException("a defect");
                },
                Duration.ofSeconds(10),
                loop,
                task -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new RejectedExecutionException("full");
                    }
                    pool.add(task);
                });

        loop.pass(Duration.ofSeconds(11));
        assertThat(asked).hasValue(1);
        loop.pass(Duration.ofSeconds(11));
        assertThatThrownBy(() -> pool.remove().run()).hasMessage("a defect");
        loop.pass(Duration.ofSeconds(11));
        assertThat(asked).hasValue(3);
    }
}
