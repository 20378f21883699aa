package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireAnswer;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Starts, repeats and ends watches of services by patterns. */
public final class FuzzyWatchHandler implements MessageHandler {

    private static final Payload DONE = WireAnswer.ok(MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE);
    private static final Payload TOO_MANY_PATTERNS = WireAnswer.failed(
            MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE,
            WireError.TOO_MANY_PATTERNS,
            "fuzzy watch pattern over limit",
            null);
    private static final Payload TOO_MANY_MATCHES = WireAnswer.failed(
            MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE,
            WireError.TOO_MANY_MATCHES,
            "fuzzy watch pattern matched count over limit",
            null);

    private final FuzzyWatches<ServiceKey> watches;

    public FuzzyWatchHandler(FuzzyWatches<ServiceKey> watches) {
        this.watches = watches;
    }

    @Override
    public String requestType() {
        return MessageCatalog.NAMING_FUZZY_WATCH_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE;
    }

    @Override
    public CompletionStage<Payload> handle(Payload payload, ClientConnection connection) {
        FuzzyWatchRequest request = JsonInput.read(payload, FuzzyWatchRequest::read);
        return CompletableFuture.completedFuture(answer(request, connection));
    }

    private Payload answer(FuzzyWatchRequest request, ClientConnection connection) {
        FuzzyPattern pattern = FuzzyWire.pattern(request.pattern());
        String type = request.watchType() == null ? FuzzyWatchRequest.WATCH : request.watchType();
        if (type.equals(FuzzyWatchRequest.CANCEL)) {
            watches.cancel(request.pattern(), connection);
            return DONE;
        }
        if (!type.equals(FuzzyWatchRequest.WATCH)) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "Unsupported watch type " + type);
        }
        return switch (watches.watch(
                request.pattern(), pattern, connection, request.received(), request.initializing())) {
            case WATCHING -> DONE;
            case TOO_MANY_MATCHES -> TOO_MANY_MATCHES;
            case TOO_MANY_PATTERNS -> TOO_MANY_PATTERNS;
        };
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
