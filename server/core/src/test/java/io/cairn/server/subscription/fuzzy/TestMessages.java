package io.cairn.server.subscription.fuzzy;

import io.cairn.api.wire.Payload;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Messages as short texts, two names in a batch: {@code +name} for an added name, {@code -name} for a removed one. */
final class TestMessages implements FuzzyMessages {

    private final AtomicLong ids = new AtomicLong();
    private final PushKind kind = new PushKind(
            new PushSettings(Duration.ofMinutes(5), Duration.ofSeconds(1), Duration.ofSeconds(1), 5),
            new PushMeters(new SimpleMeterRegistry(), "test"));

    @Override
    public int batchSize() {
        return 2;
    }

    @Override
    public Push changed(String name, boolean present) {
        return new Message((present ? "+" : "-") + name, () -> {});
    }

    @Override
    public Push differences(
            String pattern,
            boolean initial,
            int batch,
            int batches,
            Map<String, Boolean> names,
            Runnable acknowledged) {
        return new Message(
                (initial ? "init " : "diff ")
                        + batch
                        + '/'
                        + batches
                        + ' '
                        + names.entrySet().stream()
                                .map(name -> (name.getValue() ? "+" : "-") + name.getKey())
                                .collect(Collectors.joining(" ")),
                acknowledged);
    }

    @Override
    public Push finished(String pattern) {
        return new Message("finished", () -> {});
    }

    private final class Message extends Push {

        private final String text;
        private final Runnable acknowledged;

        Message(String text, Runnable acknowledged) {
            super(kind, Long.toString(ids.incrementAndGet()), System.nanoTime(), 1);
            this.text = text;
            this.acknowledged = acknowledged;
        }

        @Override
        public String replyType() {
            return "TestResponse";
        }

        @Override
        protected void acknowledged() {
            acknowledged.run();
        }

        @Override
        protected Payload encode(int variant) {
            return Payload.of(requestId(), text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
