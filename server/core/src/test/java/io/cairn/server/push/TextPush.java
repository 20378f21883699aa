package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A push of a text, in as many variants as asked for. */
final class TextPush extends Push {

    static final String REPLY_TYPE = "TextResponse";

    final AtomicInteger encodings = new AtomicInteger();
    private final String text;
    private final String replyType;

    TextPush(String requestId, String text) {
        this(
                new PushKind(
                        new PushSettings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMinutes(1), 50),
                        new PushMeters(new SimpleMeterRegistry(), "test")),
                requestId,
                text,
                REPLY_TYPE);
    }

    TextPush(PushKind kind, String requestId, String text, String replyType) {
        super(kind, requestId, System.nanoTime(), 2);
        this.text = text;
        this.replyType = replyType;
    }

    @Override
    public int sizeBytes(int variant) {
        return text.length();
    }

    @Override
    public String replyType() {
        return replyType;
    }

    @Override
    protected Payload encode(int variant) {
        encodings.incrementAndGet();
        return Payload.of("TextRequest", (text + '/' + variant).getBytes(StandardCharsets.UTF_8));
    }
}
