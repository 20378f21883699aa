package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A push of a text, in as many spellings as asked for. */
final class TextPush extends Push {

    static final String REPLY_TYPE = "TextResponse";

    final AtomicInteger encodings = new AtomicInteger();
    private final String text;
    private final String replyType;

    TextPush(String requestId, String text) {
        this(requestId, text, REPLY_TYPE);
    }

    TextPush(String requestId, String text, String replyType) {
        super(requestId, System.nanoTime(), 2);
        this.text = text;
        this.replyType = replyType;
    }

    @Override
    public String replyType() {
        return replyType;
    }

    @Override
    protected Payload encode(int spelling) {
        encodings.incrementAndGet();
        return Payload.of("TextRequest", (text + '/' + spelling).getBytes(StandardCharsets.UTF_8));
    }
}
