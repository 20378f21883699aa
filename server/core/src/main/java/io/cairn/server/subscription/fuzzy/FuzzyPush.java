package io.cairn.server.subscription.fuzzy;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.Payload;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;

/** A push of a fuzzy watch, with names and fields by kind. */
public final class FuzzyPush extends Push {

    private final Sender sender;
    private final Message message;
    private final Fields fields;
    private final Runnable acknowledged;

    /** @param serverIp the sender in pushes */
    public record Sender(PushKind kind, String serverIp, String module) {}

    /** Wire names of a push and its acknowledgement. */
    public record Message(String type, String replyType) {}

    /** Writes the fields between request id and module. */
    @FunctionalInterface
    public interface Fields {
        void write(JsonOutput out);
    }

    /** @param acknowledged called on the event loop of a receiver that has acknowledged it */
    public FuzzyPush(Sender sender, String requestId, Message message, Fields fields, Runnable acknowledged) {
        super(sender.kind(), requestId, System.nanoTime(), 1);
        this.sender = sender;
        this.message = message;
        this.fields = fields;
        this.acknowledged = acknowledged;
    }

    @Override
    public String replyType() {
        return message.replyType();
    }

    @Override
    protected void acknowledged() {
        acknowledged.run();
    }

    @Override
    protected Payload encode(int variant) {
        JsonOutput out =
                new JsonOutput(sizeBytes(variant)).json("headers", "{}").text("requestId", requestId());
        fields.write(out);
        return Payload.of(
                message.type(),
                sender.serverIp(),
                out.text("module", sender.module()).toBytes());
    }
}
