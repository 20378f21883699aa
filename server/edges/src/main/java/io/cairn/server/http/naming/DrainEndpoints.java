package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Action;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The endpoints that drain instances, in the words of one version. */
public final class DrainEndpoints {

    /** Below the time after which the server closes an idle connection. */
    public static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private static final Parameter<Duration> WAIT = Parameter.duration(
                    "wait", "The time limit for the acknowledgements of the subscribers", Duration.ZERO, MAX_WAIT)
            .orElse(Duration.ofSeconds(10));
    private static final Parameter<Duration> FOR = Parameter.duration(
                    "for", "The time after which the drain ends", Duration.ofSeconds(1), Duration.ofHours(24))
            .orElse(Duration.ofMinutes(5));
    private static final Parameter<Boolean> FORCE = Parameter.flag(
                    "force", "Drains the instance even if it is the last one in service")
            .orElse(false);

    private static final Right<ServiceKey> RIGHT = Right.service(Action.DRAIN, service -> service);

    public static final Operation<ServiceKey> DRAIN = Operation.of(ServiceForm.INSTANCE.and(WAIT, FOR, FORCE))
            .needs(RIGHT)
            .answers(DrainActions.Drained.class)
            .says(
                    "Takes an instance out of the lists of consumers, and answers when all subscribers have acknowledged that, or at"
                            + " the time limit with those that have not. The drain ends with the deregistration of the instance, or"
                            + " after its time");

    public static final Operation<ServiceKey> PROGRESS = Operation.of(ServiceForm.INSTANCE)
            .needs(RIGHT)
            .answers(DrainActions.Drained.class)
            .ofAllNodes()
            .says("Shows who has acknowledged the drain of an instance at this moment");

    public static final Operation<ServiceKey> END =
            Operation.of(ServiceForm.INSTANCE).needs(RIGHT).answers("string").says("Ends the drain of an instance");

    private final DrainActions actions;
    private final ResponseWording wording;

    public DrainEndpoints(DrainActions actions, ResponseWording wording) {
        this.actions = actions;
        this.wording = wording;
    }

    public CompletionStage<HttpResponse> drain(ServiceKey service, HttpRequest request) {
        return actions.drain(
                        service,
                        NamingParameters.instanceKey(request),
                        FOR.of(request),
                        WAIT.of(request),
                        FORCE.of(request),
                        RequestCaller.of(request))
                .thenApply(this::written);
    }

    public CompletionStage<HttpResponse> progress(ServiceKey service, HttpRequest request) {
        return actions.progress(service, NamingParameters.instanceKey(request)).thenApply(this::written);
    }

    private HttpResponse written(Gathered<DrainActions.Drained> drained) {
        return wording.written(drained.rows().get(0), drained.silent());
    }

    public CompletionStage<HttpResponse> end(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.end(service, NamingParameters.instanceKey(request), RequestCaller.of(request)));
    }
}
