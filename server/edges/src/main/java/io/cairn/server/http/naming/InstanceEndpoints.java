package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit.Done;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.switches.Switches;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The endpoints of instances, in the words of one version. */
public final class InstanceEndpoints {

    private static final Form<ServiceKey> PUBLISHED = ServiceForm.INSTANCE.and(
            NamingParameters.WEIGHT_OR_ONE,
            NamingParameters.HEALTHY,
            NamingParameters.ENABLED,
            NamingParameters.ENABLE,
            NamingParameters.EPHEMERAL,
            NamingParameters.METADATA,
            Parameter.ignored("app", "string"));
    private static final Form<ServiceKey> PATCHED = ServiceForm.INSTANCE.and(
            NamingParameters.WEIGHT, NamingParameters.ENABLED, NamingParameters.CHANGED_METADATA);
    private static final Form<ServiceKey> BATCH =
            ServiceForm.SERVICE.and(NamingParameters.METADATA.required()).and(InstanceSelection.PARAMETERS);

    /** Sends the heartbeat of the instance instead of its registration. */
    public static final Parameter<Boolean> HEART_BEAT = Parameter.flag(
                    "heartBeat", "Sends the heartbeat of the instance instead of its registration")
            .orElse(false);

    /** Lists healthy instances only. */
    public static final Parameter<Boolean> HEALTHY_ONLY =
            Parameter.flag("healthyOnly", "Lists healthy instances only").orElse(false);

    /** Lists enabled instances only. */
    public static final Parameter<Boolean> ENABLED_ONLY =
            Parameter.flag("enabledOnly", "Lists enabled instances only").orElse(false);

    /** The service whose instances have the statuses. */
    public static final Parameter<String> STATUS_KEY =
            Parameter.text("key", "The service, as group@@name, with the namespace and ## before it");

    private static final Operation.Answers<ServiceKey> REGISTERING =
            Operation.of(PUBLISHED).needs(ServiceForm.WRITE).answers("string");
    private static final Operation.Answers<ServiceKey> DEREGISTERING = Operation.of(
                    ServiceForm.INSTANCE.and(NamingParameters.EPHEMERAL))
            .needs(ServiceForm.WRITE)
            .answers("string");

    public static final Operation<ServiceKey> REGISTER = REGISTERING.says("Registers an instance");

    /** For operators; clients register at their own path or over gRPC. */
    public static final Operation<ServiceKey> REGISTER_BY_OPERATOR = REGISTERING
            .recordedAs(request -> ephemeral(request, "instance.register"))
            .says("Registers an instance");

    public static final Operation<ServiceKey> REGISTER_OR_BEAT = Operation.of(PUBLISHED.and(HEART_BEAT))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Registers an instance; with heartBeat, sends its heartbeat");

    public static final Operation<ServiceKey> DEREGISTER = DEREGISTERING.says("Deregisters an instance");

    public static final Operation<ServiceKey> DEREGISTER_BY_OPERATOR = DEREGISTERING
            .recordedAs(request -> ephemeral(request, "instance.deregister"))
            .says("Deregisters an instance");

    public static final Operation<ServiceKey> UPDATE = Operation.of(PUBLISHED)
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Sets the weight and the metadata of an instance, and whether it gets traffic");

    public static final Operation<ServiceKey> PATCH = Operation.of(PATCHED)
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Sets the given values of an instance");

    public static final Operation<ServiceKey> PATCH_WITH_HEALTH = Operation.of(PATCHED.and(NamingParameters.HEALTHY))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .recordedAs(InstanceEndpoints::health)
            .says("Sets the given values of an instance");

    private static final Form<ServiceKey> LISTED = ServiceForm.SERVICE.and(
            NamingParameters.CLUSTER_NAME,
            NamingParameters.CLUSTER,
            InstanceListEndpoint.CLUSTERS,
            HEALTHY_ONLY,
            InstanceListEndpoint.CLIENT_IP,
            InstanceListEndpoint.UDP_PORT,
            InstanceListEndpoint.APP,
            InstanceListEndpoint.IP,
            InstanceListEndpoint.PORT,
            Parameter.ignored("tid", "string"),
            Parameter.ignored("isCheck", "boolean"),
            Parameter.ignored("env", "string"));

    public static final Operation<ServiceKey> LIST = Operation.of(
                    LISTED.and(Parameter.ignored("pageNo", "integer"), Parameter.ignored("pageSize", "integer")))
            .needs(ServiceForm.READ)
            .answers("object")
            .says("Lists the instances of a service");

    /** For consoles, which show a page at a time. */
    public static final Operation<ServiceKey> LIST_PAGE = Operation.of(
                    LISTED.and(PageParameters.POSITIVE.both()).and(InstanceSearch.PARAMETERS))
            .needs(ServiceForm.READ)
            .answers("object")
            .says("Lists the instances of a service in pages: those of a part of the address or metadata or of a health"
                    + " (healthy, unhealthy), in the order of address, health or weight");

    public static final Operation<ServiceKey> LIST_OF_CATALOG = Operation.of(ServiceForm.SERVICE
                    .and(PageParameters.REQUIRED.both())
                    .and(NamingParameters.CLUSTER_NAME, NamingParameters.CLUSTER, HEALTHY_ONLY, ENABLED_ONLY))
            .needs(ServiceForm.READ)
            .answers("object")
            .says("Lists the instances of a service in pages");

    public static final Operation<ServiceKey> ADD_METADATA = Operation.of(BATCH)
            .needs(ServiceForm.WRITE)
            .answers(UpdatedInstances.class)
            .says("Adds metadata to instances");

    public static final Operation<ServiceKey> REMOVE_METADATA = Operation.of(BATCH)
            .needs(ServiceForm.WRITE)
            .answers(UpdatedInstances.class)
            .says("Removes metadata from instances");

    private final InstanceActions actions;
    private final Switches switches;
    private final ResponseWording wording;

    public InstanceEndpoints(InstanceActions actions, Switches switches, ResponseWording wording) {
        this.actions = actions;
        this.switches = switches;
        this.wording = wording;
    }

    /** The names of the instances with changed metadata. */
    record UpdatedInstances(List<String> updated) {}

    public static Operation<ServiceKey> show(Class<? extends Record> shape) {
        return showing().answers(shape).says("Shows an instance");
    }

    public static Operation<ServiceKey> show() {
        return showing().answers("object").says("Shows an instance");
    }

    private static Operation.Needs<ServiceKey> showing() {
        return Operation.of(ServiceForm.INSTANCE).needs(ServiceForm.READ);
    }

    /**
     * Tells which instances are healthy, as {@link InstanceStatuses}.
     *
     * @param parameters of the query
     */
    public static Operation<HttpRequest> statuses(Parameter<?>... parameters) {
        return Operation.of(parameters)
                .needs(Right.admin())
                .answers(InstanceStatuses.class)
                .says("Shows the health of the instances of a service");
    }

    /** The addresses of a service's instances with their health. */
    record InstanceStatuses(List<String> ips) {}

    public CompletionStage<HttpResponse> register(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.register(service, instance(request), RequestCaller.of(request)));
    }

    public Endpoints.Action<ServiceKey> deregister(LossCause cause) {
        return (service, request) -> {
            InstanceKey instance = NamingParameters.instanceKey(request);
            boolean ephemeral = NamingParameters.EPHEMERAL.or(request, switches.ephemeralByDefault());
            return wording.ok(actions.deregister(service, instance, ephemeral, RequestCaller.of(request), cause));
        };
    }

    public CompletionStage<HttpResponse> update(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.update(service, instance(request), RequestCaller.of(request)));
    }

    private Instance instance(HttpRequest request) {
        return NamingParameters.instance(request, switches.ephemeralByDefault());
    }

    public CompletionStage<HttpResponse> patch(ServiceKey service, HttpRequest request) {
        return patch(service, request, null);
    }

    public CompletionStage<HttpResponse> patchWithHealth(ServiceKey service, HttpRequest request) {
        return patch(service, request, NamingParameters.HEALTHY.orNull(request));
    }

    private CompletionStage<HttpResponse> patch(ServiceKey service, HttpRequest request, @Nullable Boolean healthy) {
        return wording.ok(actions.patch(
                service,
                NamingParameters.instanceKey(request),
                NamingParameters.WEIGHT.orNull(request),
                NamingParameters.ENABLED.orNull(request),
                healthy,
                NamingParameters.changedMetadata(request),
                RequestCaller.of(request)));
    }

    public CompletionStage<HttpResponse> addMetadata(ServiceKey service, HttpRequest request) {
        Map<String, String> metadata = requiredMetadata(request);
        return updated(
                actions.addMetadata(service, InstanceSelection.read(request), metadata, RequestCaller.of(request)));
    }

    public CompletionStage<HttpResponse> removeMetadata(ServiceKey service, HttpRequest request) {
        Map<String, String> metadata = requiredMetadata(request);
        return updated(actions.removeMetadata(
                service, InstanceSelection.read(request), metadata.keySet(), RequestCaller.of(request)));
    }

    private static Map<String, String> requiredMetadata(HttpRequest request) {
        NamingParameters.METADATA.mustBeIn(request);
        return NamingParameters.METADATA.of(request);
    }

    private CompletionStage<HttpResponse> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(all -> wording.written(new UpdatedInstances(all)));
    }

    public Record statuses(ServiceKey service) {
        return new InstanceStatuses(actions.statuses(service));
    }

    /** The registry records changes for ephemeral instances here, the store for persistent ones. */
    static @Nullable Done health(HttpRequest request) {
        String healthy = NamingParameters.HEALTHY.sent(request);
        return healthy == null || healthy.isBlank() ? null : done(request, "instance.health", " healthy=" + healthy);
    }

    /** The store records persistent instances. */
    private static @Nullable Done ephemeral(HttpRequest request, String action) {
        return "false".equalsIgnoreCase(NamingParameters.EPHEMERAL.sent(request))
                ? null
                : done(request, action, " ephemeral");
    }

    private static Done done(HttpRequest request, String action, String more) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        return new Done(
                action,
                service.namespace().id() + ':' + service.group() + ":naming/" + service.name(),
                instance.ip() + ':' + instance.port() + '#' + instance.cluster() + more);
    }
}
