package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.Switches;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Takes the beats of clients without a connection; versions 1 and 2 have the same. */
public final class BeatEndpoint implements HttpEndpoint {

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

    /** The answers to nearly all beats, made once for one setting of the switches. */
    private static final class Answers {

        private final long intervalMillis;
        private final boolean isLight;
        private final CompletionStage<HttpAnswer> ok;
        private final CompletionStage<HttpAnswer> unknown;

        Answers(long intervalMillis, boolean isLight) {
            this.intervalMillis = intervalMillis;
            this.isLight = isLight;
            this.ok = CompletableFuture.completedFuture(answer(intervalMillis, OK, isLight));
            this.unknown = CompletableFuture.completedFuture(answer(intervalMillis, UNKNOWN, isLight));
        }
    }

    @Override
    public CompletionStage<HttpAnswer> handle(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        String beat = NamingParameters.text(call, "beat");
        CompletionStage<BeatResult> result;
        if (beat == null && isNobody(call)) {
            return answer(BeatResult.UNKNOWN);
        }
        if (beat == null) {
            result = actions.beat(service, NamingParameters.instanceKey(call), null, RequestCaller.of(call));
        } else {
            BeatForm form = InstanceActions.readBeat(beat);
            InstanceKey key = key(call, form);
            Instance described = form.instance(key);
            result = actions.beat(service, key, described, RequestCaller.of(call));
        }
        if (result instanceof CompletableFuture<BeatResult> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            return answer(future.join());
        }
        return result.thenCompose(this::answer);
    }

    /** Who does not say where it is keeps nothing alive: it is told to register, as one that is not known. */
    private static boolean isNobody(HttpCall call) {
        return NamingParameters.text(call, "ip") == null || NamingParameters.text(call, "port") == null;
    }

    static InstanceKey key(HttpCall call, BeatForm form) {
        if (form.ip() == null || form.ip().isBlank()) {
            return NamingParameters.instanceKey(call);
        }
        String cluster = form.cluster();
        if (cluster == null || cluster.isBlank()) {
            cluster = NamingParameters.cluster(call);
        }
        return NamingParameters.checkedKey(form.ip(), form.port(), cluster);
    }

    private CompletionStage<HttpAnswer> answer(BeatResult result) {
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

    private static HttpAnswer answer(long intervalMillis, int code, boolean isLight) {
        return HttpAnswer.status(200)
                .contentType(HttpAnswer.JSON)
                .body(new JsonOutput(96)
                        .number("clientBeatInterval", intervalMillis)
                        .number("code", code)
                        .flag("lightBeatEnabled", isLight)
                        .toBytes());
    }
}
