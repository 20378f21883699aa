package io.cairn.server.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RequestRateTest {

    private final AtomicLong nanos = new AtomicLong(TimeUnit.SECONDS.toNanos(5));

    @Test
    void eachSecondIsCountedForItself() {
        Limit limit = new Limit("requests-per-second", "cairn.limits.requests-per-second", 3);
        RequestLimit requests = new RequestLimit(limit, nanos::get);
        RequestRate caller = new RequestRate();
        for (int i = 0; i < 3; i++) {
            requests.check(caller);
        }

        assertThatThrownBy(() -> requests.check(caller))
                .isInstanceOf(CairnException.class)
                .hasMessage("Limit requests-per-second: 4 (expected: at most 3, cairn.limits.requests-per-second)");
        assertThat(limit.timesExceeded()).isEqualTo(1);
        assertThat(limit.used()).isEqualTo(4);
        requests.check(new RequestRate());
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        requests.check(caller);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(limit.used()).isZero();
    }

    @Test
    void timeThatBeganBelowZeroIsTimeToo() {
        nanos.set(-TimeUnit.SECONDS.toNanos(3));
        RequestRate caller = new RequestRate();

        assertThat(caller.count(nanos.get())).isEqualTo(1);
        assertThat(caller.count(nanos.get())).isEqualTo(2);
        assertThat(caller.at(nanos.get())).isEqualTo(2);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(caller.count(nanos.get())).isEqualTo(1);
    }

    @Test
    void threadsThatCountAtOnceLoseNothing() throws Exception {
        RequestRate caller = new RequestRate();
        long now = nanos.get();
        caller.count(now);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 10_000; n++) {
                    caller.count(now);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(caller.at(now)).isEqualTo(40_001);
    }
}
