package io.cairn.server.subscription;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.subscription.fuzzy.FuzzyMessages;
import io.cairn.server.subscription.fuzzy.FuzzyPush;
import java.util.Map;

/** The messages of fuzzy watches of services. */
public final class FuzzyServiceMessages implements FuzzyMessages {

    private static final String CAME = "ADD_SERVICE";
    private static final String WENT = "DELETE_SERVICE";

    /** Official clients answer both types with this one. */
    private static final String REPLY = MessageCatalog.NAMING_FUZZY_WATCH_CHANGE_NOTIFY_RESPONSE;

    private static final FuzzyPush.Message CHANGE =
            new FuzzyPush.Message(MessageCatalog.NAMING_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST, REPLY);
    private static final FuzzyPush.Message COMPARISON =
            new FuzzyPush.Message(MessageCatalog.NAMING_FUZZY_WATCH_SYNC_REQUEST, REPLY);

    private final FuzzyPush.Sender sender;
    private final RequestIds requestIds;

    /** @param serverIp this server, in pushes */
    public FuzzyServiceMessages(PushKind kind, RequestIds requestIds, String serverIp) {
        this.sender = new FuzzyPush.Sender(kind, serverIp, "naming");
        this.requestIds = requestIds;
    }

    @Override
    public int batchSize() {
        return 10;
    }

    @Override
    public Push changed(String name, boolean present) {
        return new FuzzyPush(
                sender,
                requestIds.next(),
                CHANGE,
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
        return new FuzzyPush(
                sender,
                requestIds.next(),
                COMPARISON,
                out -> out.text("syncType", stage)
                        .text("groupKeyPattern", pattern)
                        .objects(
                                "contexts", names.entrySet(), (name, object) -> object.text("serviceKey", name.getKey())
                                        .text("changedType", name.getValue() ? CAME : WENT))
                        .number("totalBatch", batches)
                        .number("currentBatch", batch),
                acknowledged);
    }
}
