package io.cairn.server.rpc.fuzzy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Starts, repeats and ends watches by patterns of one kind. */
public final class FuzzyWatchHandler implements MessageHandler<FuzzyWatchRequest> {

    private final String requestType;
    private final String responseType;
    private final ResourceType type;
    private final MessageRight<FuzzyWatchRequest> right;
    private final FuzzyWatches<?> watches;
    private final Executor searches;
    private final Function<CairnException, Payload> refusal;
    private final Payload done;
    private final Payload tooManyPatterns;
    private final Payload tooManyMatches;

    /**
     * @param type of the rights to its names
     * @param searches runs the first watch of a pattern, which searches all names
     * @param refusal the kind's answer to a refused request
     */
    public FuzzyWatchHandler(
            String requestType,
            String responseType,
            ResourceType type,
            FuzzyWatches<?> watches,
            Executor searches,
            Function<CairnException, Payload> refusal) {
        this.requestType = requestType;
        this.responseType = responseType;
        this.type = type;
        this.right = MessageRight.enter(Action.READ, type, request -> FuzzyWire.pattern(request.pattern())
                .namespace());
        this.watches = watches;
        this.searches = searches;
        this.refusal = refusal;
        this.done = WireResponse.ok(responseType);
        this.tooManyPatterns =
                WireResponse.failed(responseType, WireError.TOO_MANY_PATTERNS, "fuzzy watch pattern over limit", null);
        this.tooManyMatches = WireResponse.failed(
                responseType, WireError.TOO_MANY_MATCHES, "fuzzy watch pattern matched count over limit", null);
    }

    @Override
    public String requestType() {
        return requestType;
    }

    @Override
    public String responseType() {
        return responseType;
    }

    @Override
    public FuzzyWatchRequest read(Payload message) {
        return JsonInput.read(message, FuzzyWatchRequest::read);
    }

    @Override
    public MessageRight<FuzzyWatchRequest> right() {
        return right;
    }

    @Override
    public Watching watching() {
        return Watching.PATTERNS;
    }

    @Override
    public CompletionStage<Payload> handle(FuzzyWatchRequest request, ClientConnection connection, Principal caller) {
        FuzzyPattern pattern = FuzzyWire.pattern(request.pattern());
        ReadScope visible = caller.readable(pattern.namespace(), type);
        // A client waits for the answer before its next message about that pattern.
        return watches.mustSearch(request.pattern(), visible)
                ? CompletableFuture.supplyAsync(() -> answer(request, pattern, visible, connection), searches)
                : CompletableFuture.completedFuture(answer(request, pattern, visible, connection));
    }

    private Payload answer(
            FuzzyWatchRequest request, FuzzyPattern pattern, ReadScope visible, ClientConnection connection) {
        String wanted = request.watchType() == null ? FuzzyWatchRequest.WATCH : request.watchType();
        if (wanted.equals(FuzzyWatchRequest.CANCEL)) {
            watches.cancel(request.pattern(), connection);
            return done;
        }
        if (!wanted.equals(FuzzyWatchRequest.WATCH)) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "Unsupported watch type " + wanted);
        }
        return switch (watches.watch(
                request.pattern(), pattern, visible, connection, request.received(), request.initializing())) {
            case WATCHING -> done;
            case TOO_MANY_MATCHES -> tooManyMatches;
            case TOO_MANY_PATTERNS -> tooManyPatterns;
        };
    }

    @Override
    public Payload refused(CairnException failure) {
        return refusal.apply(failure);
    }
}
