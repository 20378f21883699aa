package io.cairn.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DeliveryTest {

    private final List<String> told = new ArrayList<>();

    private Delivery<String> delivery(Executor executor, String poison, Throwable thrown) {
        return new Delivery<>("test", executor, (before, now) -> before + now, value -> {
            told.add(value);
            if (value.equals(poison)) {
                DeliveryTest.<RuntimeException>sneak(thrown);
            }
        });
    }

    /** As listeners in other languages do. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void notifiesAListenerThatThrowsOfTheNextChange() {
        for (Throwable thrown : List.of(new Exception("checked"), new StackOverflowError(), new Error("other"))) {
            told.clear();
            Delivery<String> delivery = delivery(Runnable::run, "1", thrown);
            delivery.offer("1");
            delivery.start();
            delivery.offer("2");
            delivery.start();
            assertThat(told).containsExactly("1", "2");
        }
    }

    @Test
    void deliversAValueRejectedByTheExecutorWithTheNextOne() {
        AtomicBoolean broken = new AtomicBoolean(true);
        Delivery<String> delivery = delivery(
                task -> {
                    if (broken.get()) {
                        throw new IllegalStateException("no thread");
                    }
                    task.run();
                },
                "",
                new Error("never"));
        delivery.offer("1");
        delivery.start();
        assertThat(told).isEmpty();
        broken.set(false);
        delivery.offer("2");
        delivery.start();
        assertThat(told).containsExactly("12");
    }

    @Test
    void offeringCallsNoListener() {
        Delivery<String> delivery = delivery(Runnable::run, "", new Error("never"));
        delivery.offer("1");
        assertThat(told).isEmpty();
        delivery.start();
        assertThat(told).containsExactly("1");
    }
}
