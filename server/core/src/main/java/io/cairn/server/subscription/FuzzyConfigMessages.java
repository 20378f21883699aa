package io.cairn.server.subscription;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.subscription.fuzzy.FuzzyMessages;
import io.cairn.server.subscription.fuzzy.FuzzyPush;
import java.util.Map;

/** The messages of fuzzy watches of configurations. */
public final class FuzzyConfigMessages implements FuzzyMessages {

    /** A configuration is added in a comparison, and changed otherwise; clients treat both alike. */
    private static final String THERE = "ADD_CONFIG";

    private static final String CAME = "CONFIG_CHANGED";
    private static final String WENT = "DELETE_CONFIG";

    private static final FuzzyPush.Message CHANGE = new FuzzyPush.Message(
            MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST,
            MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_RESPONSE);
    private static final FuzzyPush.Message COMPARISON = new FuzzyPush.Message(
            MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST, MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_RESPONSE);

    private final FuzzyPush.Sender sender;
    private final RequestIds requestIds;
    private final int batchSize;

    /**
     * @param serverIp the sender in pushes
     * @param batchSize names in one message of a comparison
     */
    public FuzzyConfigMessages(PushKind kind, RequestIds requestIds, String serverIp, int batchSize) {
        this.sender = new FuzzyPush.Sender(kind, serverIp, "config");
        this.requestIds = requestIds;
        this.batchSize = batchSize;
    }

    @Override
    public int batchSize() {
        return batchSize;
    }

    @Override
    public Push changed(String name, boolean present) {
        return new FuzzyPush(
                sender,
                requestIds.next(),
                CHANGE,
                out -> out.text("groupKey", name).text("changeType", present ? CAME : WENT),
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
        String stage = initial ? FuzzyWire.INITIAL : FuzzyWire.DIFFERENCE;
        return new FuzzyPush(
                sender,
                requestIds.next(),
                COMPARISON,
                out -> stage(
                        out.text("groupKeyPattern", pattern)
                                .objects("contexts", names.entrySet(), (name, object) -> object.text(
                                                "groupKey", name.getKey())
                                        .text("changedType", name.getValue() ? THERE : WENT)),
                        stage,
                        batch,
                        batches),
                acknowledged);
    }

    @Override
    public Push finished(String pattern) {
        return new FuzzyPush(
                sender,
                requestIds.next(),
                COMPARISON,
                out -> stage(out.text("groupKeyPattern", pattern), FuzzyWire.FINISHED, 0, 0),
                () -> {});
    }

    private static void stage(JsonOutput out, String stage, int batch, int batches) {
        out.text("syncType", stage).number("totalBatch", batches).number("currentBatch", batch);
    }
}
