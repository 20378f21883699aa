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
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The endpoints of operators, in the words of one version: switches, counts, and set health. */
public final class OperatorEndpoints {

    private static final Parameter<String> ENTRY = Parameter.text("entry", "The name of the switch");
    private static final Parameter<String> VALUE = Parameter.text("value", "The value of the switch");
    private static final Parameter<Boolean> DEBUG = Parameter.flag(
                    "debug", "Sets the switch on this node until its next start; otherwise stores it for all nodes")
            .orElse(false);

    /** Whether counts are left out. */
    public static final Parameter<Boolean> ONLY_STATUS =
            Parameter.flag("onlyStatus", "Shows the status only").orElse(true);

    /** The health to be set. */
    public static final Parameter<Boolean> HEALTHY = Parameter.text("healthy", "Whether the instance is healthy")
            .typed("boolean")
            .as(Parameter::isYes);

    /** As version 1 names {@link #HEALTHY} too. */
    public static final Parameter<Boolean> VALID = Parameter.text("valid", "As healthy, which it precedes")
            .typed("boolean")
            .as(Parameter::isYes);

    private static final Parameter<String> IP = Parameter.text("ip", "The address of the client");
    private static final Parameter<String> PORT = Parameter.text("port", "The port of the client");

    public static final Operation<HttpRequest> SWITCHES =
            Operation.of(Form.NONE).needs(Right.admin()).answers("object").says("Shows the switches of the registry");

    public static final Operation<HttpRequest> SET_SWITCH = Operation.of(ENTRY.required(), VALUE.required(), DEBUG)
            .needs(Right.admin())
            .answers("string")
            .recordedAs(OperatorEndpoints::temporarySwitch)
            .says("Sets a switch of the registry");

    public static final Operation<HttpRequest> SET_LOG_LEVEL = Operation.of(
                    LogLevel.NAME.required(), LogLevel.LEVEL.required())
            .needs(Right.admin())
            .answers("string")
            .recordedAs(LogLevel::recorded)
            .says("Sets the log level of the registry");

    public static final Operation<ServiceKey> SET_HEALTH = Operation.of(
                    ServiceForm.INSTANCE.and(HEALTHY.required(), VALID))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .recordedAs(InstanceEndpoints::health)
            .says("Sets the health of a persistent instance");

    public static final Operation<HttpRequest> CHECKERS =
            Operation.of(Form.NONE).needs(Right.known()).answers("object").says("Lists the kinds of health checks");

    /** Shows the node that owns a client. */
    public static final Operation<HttpRequest> RESPONSIBLE = Operation.of(IP.required(), PORT.required())
            .needs(Right.admin())
            .answers(ResponsibleServer.class)
            .says("Shows the node that owns a client");

    private static final byte[] ALL_CHECKERS = ("{\"TCP\":{},\"HTTP\":{\"path\":\"\",\"headers\":\"\","
                    + "\"expectedResponseCode\":200},\"MYSQL\":{\"user\":null,\"pwd\":null,\"cmd\":null},\"GRPC\":{\"service\":\"\"},"
                    + "\"NONE\":{}}")
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

    public record ResponsibleServer(String responsibleServer) {}

    public static String clientId(HttpRequest request) {
        return IP.of(request) + ':' + PORT.of(request) + "#true";
    }

    public static Operation<HttpRequest> metrics(Right<HttpRequest> right) {
        return Operation.of(ONLY_STATUS)
                .needs(right)
                .answers(RegistryMetrics.RegistryCounts.class)
                .says("Shows the numbers of services, instances and clients of the registry");
    }

    public CompletionStage<HttpResponse> switches(HttpRequest request) {
        return wording.data(switches.toJson());
    }

    public CompletionStage<HttpResponse> setSwitch(HttpRequest request) {
        return set(ENTRY.of(request), VALUE.of(request), request);
    }

    /** As {@link #setSwitch}, with an optional value. */
    public CompletionStage<HttpResponse> setOrClearSwitch(HttpRequest request) {
        return set(ENTRY.of(request), VALUE.require(VALUE.sent(request)), request);
    }

    private CompletionStage<HttpResponse> set(String entry, String value, HttpRequest request) {
        return wording.ok(stored.change(RequestCaller.of(request), entry, value, DEBUG.of(request)));
    }

    public HttpEndpoint metrics(boolean withMachine) {
        return request -> metrics.readable(
                        ONLY_STATUS.of(request),
                        withMachine,
                        RequestCaller.of(request).principal())
                .thenCompose(wording::written);
    }

    /** @param healthy reads whether the instance is healthy */
    public Endpoints.Action<ServiceKey> setHealth(Predicate<HttpRequest> healthy) {
        return (service, request) -> {
            InstanceKey instance = NamingParameters.instanceKey(request);
            boolean isHealthy = healthy.test(request);
            return wording.ok(services.setHealth(service, instance, isHealthy, RequestCaller.of(request)));
        };
    }

    public CompletionStage<HttpResponse> setHealth(ServiceKey service, HttpRequest request) {
        return setHealth(HEALTHY::of).handle(service, request);
    }

    public HttpEndpoint setLogLevel(LogLevels levels) {
        return request -> {
            levels.set(LogLevel.NAME.of(request), LogLevel.LEVEL.of(request));
            return wording.done();
        };
    }

    public CompletionStage<HttpResponse> checkers(HttpRequest request) {
        return checkers;
    }

    /** The store records persistent switches. */
    private static @Nullable Done temporarySwitch(HttpRequest request) {
        return DEBUG.of(request)
                ? new Done("switch.set", ENTRY.of(request), VALUE.sent(request) + " (until the next start)")
                : null;
    }
}
