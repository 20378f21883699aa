package io.cairn.server.subscription;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.subscription.fuzzy.FuzzyMessages;
import java.util.Map;

/** How those who watch services by patterns are told of them. Thread-safe. */
public final class FuzzyServiceMessages implements FuzzyMessages {

    private static final String CAME = "ADD_SERVICE";
    private static final String WENT = "DELETE_SERVICE";

    private final PushKind kind;
    private final RequestIds requestIds;
    private final String serverIp;

    /** @param serverIp the address that pushes name as their sender */
    public FuzzyServiceMessages(PushKind kind, RequestIds requestIds, String serverIp) {
        this.kind = kind;
        this.requestIds = requestIds;
        this.serverIp = serverIp;
    }

    @Override
    public int batchSize() {
        return 10;
    }

    @Override
    public Push changed(String name, boolean present) {
        return new FuzzyServicePush(
                MessageCatalog.NAMING_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST,
                out -> out.text("syncType", FuzzyWire.CHANGED)
                        .text("serviceKey", name)
                        .text("changedType", present ? CAME : WENT),
                () -> {});
    }

    @Override
    public Push differences(
            String pattern,
            boolean initial,
            int batch,
            int batches,
            Map<String, Boolean> names,
            Runnable acknowledged) {
        return comparison(
                pattern, initial ? FuzzyWire.INITIAL : FuzzyWire.DIFFERENCE, batch, batches, names, acknowledged);
    }

    @Override
    public Push finished(String pattern) {
        return comparison(pattern, FuzzyWire.FINISHED, 1, 1, Map.of(), () -> {});
    }

    private Push comparison(
            String pattern, String stage, int batch, int batches, Map<String, Boolean> names, Runnable acknowledged) {
        return new FuzzyServicePush(
                MessageCatalog.NAMING_FUZZY_WATCH_SYNC_REQUEST,
                out -> out.text("syncType", stage)
                        .text("groupKeyPattern", pattern)
                        .objects(
                                "contexts", names.entrySet(), (name, object) -> object.text("serviceKey", name.getKey())
                                        .text("changedType", name.getValue() ? CAME : WENT))
                        .number("totalBatch", batches)
                        .number("currentBatch", batch),
                acknowledged);
    }

    @FunctionalInterface
    private interface Fields {
        void write(JsonOutput out);
    }

    private final class FuzzyServicePush extends Push {

        private final String type;
        private final Fields fields;
        private final Runnable acknowledged;

        FuzzyServicePush(String type, Fields fields, Runnable acknowledged) {
            super(kind, requestIds.next(), System.nanoTime(), 1);
            this.type = type;
            this.fields = fields;
            this.acknowledged = acknowledged;
        }

        /** Official clients answer both types with this one. */
        @Override
        public String replyType() {
            return MessageCatalog.NAMING_FUZZY_WATCH_CHANGE_NOTIFY_RESPONSE;
        }

        @Override
        protected void acknowledged() {
            acknowledged.run();
        }

        @Override
        protected Payload encode(int spelling) {
            JsonOutput out = new JsonOutput(sizeBytes()).json("headers", "{}").text("requestId", requestId());
            fields.write(out);
            return Payload.of(type, serverIp, out.text("module", "naming").toBytes());
        }
    }
}
