package io.cairn.server.http.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.LogLevel;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit.Done;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.naming.Switches;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of operators that several versions have, answered in the wording of one: switches, counts, and health that is
 * set by hand.
 */
public final class OperatorEndpoints {

    public static final Operation<HttpRequest> SWITCHES =
            Operation.of(Form.NONE).needs(Right.admin()).answers("object").says("Shows the switches of the registry");

    public static final Operation<HttpRequest> SET_SWITCH = Operation.of("entry! value! debug:boolean")
            .needs(Right.admin())
            .answers("string")
            .recordedAs(OperatorEndpoints::temporarySwitch)
            .says("Sets a switch of the registry");

    public static final Operation<HttpRequest> SET_LOG_LEVEL = Operation.of("logName! logLevel!")
            .needs(Right.admin())
            .answers("string")
            .recordedAs(LogLevel::recorded)
            .says("Sets the log level of the registry");

    public static final Operation<ServiceKey> SET_HEALTH = Operation.of(
                    ServiceForm.INSTANCE.and("healthy!:boolean valid:boolean"))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .recordedAs(InstanceEndpoints::health)
            .says("Sets the health of a persistent instance");

    public static final Operation<HttpRequest> CHECKERS =
            Operation.of(Form.NONE).needs(Right.known()).answers("object").says("Lists the kinds of health checks");

    /** Shows the node that owns a client. */
    public static final Operation<HttpRequest> RESPONSIBLE = Operation.of("ip! port!")
            .needs(Right.admin())
            .answers(ResponsibleServer.class)
            .says("Shows the node that owns a client");

    /** Health checkers and their settings. */
    private static final byte[] ALL_CHECKERS = ("{\"TCP\":{},\"HTTP\":{\"path\":\"\",\"headers\":\"\","
                    + "\"expectedResponseCode\":200},\"MYSQL\":{\"user\":null,\"pwd\":null,\"cmd\":null},\"NONE\":{}}")
            .getBytes(StandardCharsets.UTF_8);

    private final Switches switches;
    private final StoredNaming stored;
    private final ServiceActions services;
    private final RegistryMetrics metrics;
    private final ResponseWording wording;
    private final CompletionStage<HttpResponse> checkers;

    public OperatorEndpoints(
            Switches switches,
            StoredNaming stored,
            ServiceActions services,
            RegistryMetrics metrics,
            ResponseWording wording) {
        this.switches = switches;
        this.stored = stored;
        this.services = services;
        this.metrics = metrics;
        this.wording = wording;
        this.checkers = wording.data(ALL_CHECKERS);
    }

    /** The node that keeps a client. */
    public record ResponsibleServer(String responsibleServer) {}

    /** The id of the client that {@link #RESPONSIBLE} asks for. */
    public static String clientId(HttpRequest request) {
        return NamingParameters.required(request, "ip") + ':' + NamingParameters.required(request, "port") + "#true";
    }

    /** Counts what the registry holds. */
    public static Operation<HttpRequest> metrics(Right<HttpRequest> right) {
        return Operation.of("onlyStatus:boolean")
                .needs(right)
                .answers(RegistryMetrics.RegistryCounts.class)
                .says("Shows the numbers of services, instances and clients of the registry");
    }

    public CompletionStage<HttpResponse> switches(HttpRequest request) {
        return wording.data(switches.toJson());
    }

    public CompletionStage<HttpResponse> setSwitch(HttpRequest request) {
        return set(NamingParameters.required(request, "entry"), NamingParameters.required(request, "value"), request);
    }

    /** As {@link #setSwitch}, with a value that may be blank. */
    public CompletionStage<HttpResponse> setOrClearSwitch(HttpRequest request) {
        String entry = NamingParameters.required(request, "entry");
        String value = request.parameter("value");
        return set(entry, value == null ? NamingParameters.required(request, "value") : value, request);
    }

    private CompletionStage<HttpResponse> set(String entry, String value, HttpRequest request) {
        return wording.ok(
                stored.change(RequestCaller.of(request), entry, value, NamingParameters.flag(request, "debug", false)));
    }

    /** Counts of what the caller may read. */
    public HttpEndpoint metrics(boolean withMachine) {
        return request -> metrics.readable(
                        NamingParameters.flag(request, "onlyStatus", true),
                        withMachine,
                        RequestCaller.of(request).principal())
                .thenCompose(wording::written);
    }

    /** @param healthy reads whether the instance is healthy */
    public Endpoints.Action<ServiceKey> setHealth(Function<HttpRequest, String> healthy) {
        return (service, request) -> {
            InstanceKey instance = NamingParameters.instanceKey(request);
            boolean isHealthy = NamingParameters.flag(healthy.apply(request));
            return wording.ok(services.setHealth(service, instance, isHealthy, RequestCaller.of(request)));
        };
    }

    public CompletionStage<HttpResponse> setHealth(ServiceKey service, HttpRequest request) {
        return setHealth(http -> NamingParameters.required(http, "healthy")).handle(service, request);
    }

    public HttpEndpoint setLogLevel(LogLevels levels) {
        return request -> {
            levels.set(NamingParameters.required(request, "logName"), NamingParameters.required(request, "logLevel"));
            return wording.done();
        };
    }

    public CompletionStage<HttpResponse> checkers(HttpRequest request) {
        return checkers;
    }

    /** A switch that outlives the server is recorded where it is stored. */
    private static @Nullable Done temporarySwitch(HttpRequest request) {
        return NamingParameters.flag(request, "debug", false)
                ? new Done(
                        "switch.set",
                        NamingParameters.required(request, "entry"),
                        request.parameter("value") + " (until the next start)")
                : null;
    }
}
