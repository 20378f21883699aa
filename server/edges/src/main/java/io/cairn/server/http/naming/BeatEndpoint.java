package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.switches.Switches;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Handles heartbeats of clients without a connection, in versions 1 and 2. */
public final class BeatEndpoint implements Endpoints.Action<ServiceKey> {

    static final Parameter<String> BEAT_INFO =
            Parameter.text("beat", "The instance as JSON, to be registered when it is unknown");

    public static final Operation<ServiceKey> BEAT = Operation.of(ServiceForm.SERVICE.and(
                    BEAT_INFO,
                    NamingParameters.IP,
                    NamingParameters.PORT,
                    NamingParameters.CLUSTER_NAME,
                    NamingParameters.CLUSTER))
            .needs(ServiceForm.WRITE)
            .answers("object")
            .says("Receives the heartbeat of an instance");

    private static final int OK = 10200;
    private static final int UNKNOWN = 20404;

    private final InstanceActions actions;
    private final Switches switches;
    private volatile Answers usual;

    public BeatEndpoint(InstanceActions actions, Switches switches) {
        this.actions = actions;
        this.switches = switches;
        this.usual = new Answers(switches.beatIntervalMillis(), switches.lightBeatEnabled());
    }

    /** The usual answers, made once for a setting of the switches. */
    private static final class Answers {

        private final long intervalMillis;
        private final boolean isLight;
        private final CompletionStage<HttpResponse> ok;
        private final CompletionStage<HttpResponse> unknown;

        Answers(long intervalMillis, boolean isLight) {
            this.intervalMillis = intervalMillis;
            this.isLight = isLight;
            this.ok = CompletableFuture.completedFuture(answer(intervalMillis, OK, isLight));
            this.unknown = CompletableFuture.completedFuture(answer(intervalMillis, UNKNOWN, isLight));
        }
    }

    @Override
    public CompletionStage<HttpResponse> handle(ServiceKey service, HttpRequest request) {
        String beat = BEAT_INFO.orNull(request);
        CompletionStage<BeatResult> result;
        if (beat == null && isUnnamed(request)) {
            return answer(BeatResult.UNKNOWN);
        }
        if (beat == null) {
            result = actions.beat(service, NamingParameters.instanceKey(request), null, RequestCaller.of(request));
        } else {
            BeatForm form = InstanceActions.readBeat(beat);
            InstanceKey key = key(request, form);
            Instance described = form.instance(key);
            result = actions.beat(service, key, described, RequestCaller.of(request));
        }
        if (result instanceof CompletableFuture<BeatResult> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            return answer(future.join());
        }
        return result.thenCompose(this::answer);
    }

    /**
     * A heartbeat without an address keeps no instance alive. The response asks the client to register, as for an unknown instance.
     */
    private static boolean isUnnamed(HttpRequest request) {
        return NamingParameters.IP.orNull(request) == null || NamingParameters.PORT.orNull(request) == null;
    }

    static InstanceKey key(HttpRequest request, BeatForm form) {
        if (form.ip() == null || form.ip().isBlank()) {
            return NamingParameters.instanceKey(request);
        }
        String cluster = form.cluster();
        if (cluster == null || cluster.isBlank()) {
            cluster = NamingParameters.cluster(request);
        }
        return NamingParameters.checkedKey(form.ip(), form.port(), cluster);
    }

    private CompletionStage<HttpResponse> answer(BeatResult result) {
        if (result.intervalMillis() != 0) {
            return CompletableFuture.completedFuture(
                    answer(result.intervalMillis(), result.known() ? OK : UNKNOWN, switches.lightBeatEnabled()));
        }
        Answers answers = usual;
        if (answers.intervalMillis != switches.beatIntervalMillis() || answers.isLight != switches.lightBeatEnabled()) {
            answers = new Answers(switches.beatIntervalMillis(), switches.lightBeatEnabled());
            usual = answers;
        }
        return result.known() ? answers.ok : answers.unknown;
    }

    private static HttpResponse answer(long intervalMillis, int code, boolean isLight) {
        return HttpResponse.status(200)
                .contentType(HttpResponse.JSON)
                .body(new JsonOutput(96)
                        .number("clientBeatInterval", intervalMillis)
                        .number("code", code)
                        .flag("lightBeatEnabled", isLight)
                        .toBytes());
    }
}
