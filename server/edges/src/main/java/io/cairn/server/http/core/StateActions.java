package io.cairn.server.http.core;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import io.cairn.server.http.route.ServerState;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Liveness, readiness and settings, open in every version. */
public final class StateActions {

    public static final Operation<HttpRequest> LIVENESS =
            Operation.of(Form.NONE).needs(Right.open()).answers("string").says("Shows that the process is alive");
    public static final Operation<HttpRequest> READINESS =
            Operation.of(Form.NONE).needs(Right.open()).answers("string").says("Shows whether the server is ready");
    public static final Operation<HttpRequest> SETTINGS =
            Operation.of(Form.NONE).needs(Right.open()).answers("object").says("Shows version and settings");
    public static final Operation<HttpRequest> ANNOUNCEMENT = Operation.of(Parameter.ignored("language", "string"))
            .needs(Right.open())
            .answers("null")
            .says("Shows the announcement for operators, which is always empty");
    public static final Operation<HttpRequest> GUIDE = Operation.of(Form.NONE)
            .needs(Right.open())
            .answers("null")
            .says("Shows the getting-started text, which is always empty");

    private final ServerState state;
    private final Executor work;

    /** @param work a bounded pool, because readiness may block */
    public StateActions(ServerState state, Executor work) {
        this.state = state;
        this.work = work;
    }

    /** @param wording makes the response of the reason, which is null for a ready server */
    public HttpEndpoint readiness(Function<@Nullable String, HttpResponse> wording) {
        return request -> CompletableFuture.supplyAsync(() -> wording.apply(state.notReadyBecause()), work);
    }

    public HttpEndpoint readiness(Envelope envelope) {
        return readiness(
                reason -> reason == null ? envelope.ok() : envelope.failure(500, DetailCode.SERVER_ERROR, reason));
    }

    public static HttpEndpoint liveness(Envelope envelope) {
        CompletionStage<HttpResponse> ok = CompletableFuture.completedFuture(envelope.ok());
        return request -> ok;
    }

    public Map<String, @Nullable String> settings() {
        return state.settings();
    }
}
