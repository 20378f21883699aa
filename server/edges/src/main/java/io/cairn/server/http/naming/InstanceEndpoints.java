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
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.Switches;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The endpoints of instances that several versions have, answered in the wording of one. */
public final class InstanceEndpoints {

    private static final Form<ServiceKey> PUBLISHED = ServiceForm.INSTANCE.and(
            "weight:number healthy:boolean enabled:boolean enable:boolean ephemeral:boolean metadata app");
    private static final Form<ServiceKey> PATCHED = ServiceForm.INSTANCE.and("weight:number enabled:boolean metadata");
    private static final Form<ServiceKey> BATCH = ServiceForm.SERVICE.and("metadata! instances consistencyType");

    private static final Operation.Answers<ServiceKey> REGISTERING =
            Operation.of(PUBLISHED).needs(ServiceForm.WRITE).answers("string");
    private static final Operation.Answers<ServiceKey> DEREGISTERING = Operation.of(
                    ServiceForm.INSTANCE.and("ephemeral:boolean"))
            .needs(ServiceForm.WRITE)
            .answers("string");

    public static final Operation<ServiceKey> REGISTER = REGISTERING.says("Registers an instance");

    /** Registers in the place of a client, which registers itself at its own path or over gRPC. */
    public static final Operation<ServiceKey> REGISTER_BY_OPERATOR = REGISTERING
            .recordedAs(request -> ephemeral(request, "instance.register"))
            .says("Registers an instance");

    public static final Operation<ServiceKey> REGISTER_OR_BEAT = Operation.of(PUBLISHED.and("heartBeat:boolean"))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Registers an instance; with heartBeat, sends its heartbeat");

    public static final Operation<ServiceKey> DEREGISTER = DEREGISTERING.says("Deregisters an instance");

    /** Deregisters in the place of a client. */
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

    public static final Operation<ServiceKey> PATCH_WITH_HEALTH = Operation.of(PATCHED.and("healthy:boolean"))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .recordedAs(InstanceEndpoints::health)
            .says("Sets the given values of an instance");

    public static final Operation<ServiceKey> LIST = Operation.of(
                    ServiceForm.SERVICE.and("clusterName cluster clusters healthyOnly:boolean clientIP udpPort:integer"
                            + " app ip port:integer tid isCheck:boolean env " + ServiceForm.PAGE))
            .needs(ServiceForm.READ)
            .answers("object")
            .says("Lists the instances of a service");

    public static final Operation<ServiceKey> LIST_OF_CATALOG = Operation.of(ServiceForm.SERVICE.and(
                    ServiceForm.PAGE + " clusterName cluster healthyOnly:boolean enabledOnly:boolean"))
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

    /** The names of the instances that a change of metadata concerned. */
    record UpdatedInstances(List<String> updated) {}

    /** Shows one instance, as this record. */
    public static Operation<ServiceKey> show(Class<? extends Record> shape) {
        return showing().answers(shape).says("Shows an instance");
    }

    /** Shows one instance, as clients get it. */
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
    public static Operation<HttpRequest> statuses(String parameters) {
        return Operation.of(parameters)
                .needs(Right.admin())
                .answers(InstanceStatuses.class)
                .says("Shows the health of the instances of a service");
    }

    /** The addresses of the instances of a service, each with whether it is healthy. */
    record InstanceStatuses(List<String> ips) {}

    public CompletionStage<HttpResponse> register(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.register(service, instance(request), RequestCaller.of(request)));
    }

    public Endpoints.Action<ServiceKey> deregister(LossCause cause) {
        return (service, request) -> {
            InstanceKey instance = NamingParameters.instanceKey(request);
            boolean ephemeral = NamingParameters.flag(request, "ephemeral", switches.ephemeralByDefault());
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
        return patch(service, request, NamingParameters.flag(request, "healthy"));
    }

    private CompletionStage<HttpResponse> patch(ServiceKey service, HttpRequest request, @Nullable Boolean healthy) {
        return wording.ok(actions.patch(
                service,
                NamingParameters.instanceKey(request),
                NamingParameters.weight(request),
                NamingParameters.flag(request, "enabled"),
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
        NamingParameters.required(request, "metadata");
        return NamingParameters.metadata(request);
    }

    private CompletionStage<HttpResponse> updated(CompletionStage<List<String>> names) {
        return names.thenCompose(all -> wording.written(new UpdatedInstances(all)));
    }

    /** The statuses of the instances of a service. */
    public Record statuses(ServiceKey service) {
        return new InstanceStatuses(actions.statuses(service));
    }

    /** The health of ephemeral instances is recorded here; that of persistent ones where it is stored. */
    static @Nullable Done health(HttpRequest request) {
        String healthy = request.parameter("healthy");
        return healthy == null || healthy.isBlank() ? null : done(request, "instance.health", " healthy=" + healthy);
    }

    /** The registration of a persistent instance is recorded where it is stored. */
    private static @Nullable Done ephemeral(HttpRequest request, String action) {
        return "false".equalsIgnoreCase(request.parameter("ephemeral")) ? null : done(request, action, " ephemeral");
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
