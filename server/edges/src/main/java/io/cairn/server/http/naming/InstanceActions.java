package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.ClientRouting;
import io.cairn.server.naming.InstanceHealth;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.naming.StoredNaming;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The actions on instances over HTTP, for all versions. Thread-safe; never blocks. */
public final class InstanceActions {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final NamingService naming;
    private final StoredNaming stored;
    private final ClientRouting routing;

    public InstanceActions(NamingService naming, StoredNaming stored, ClientRouting routing) {
        this.naming = naming;
        this.stored = stored;
        this.routing = routing;
    }

    /** Registers an ephemeral instance, which beats from then on, or stores a persistent one. */
    public CompletionStage<Void> register(ServiceKey service, Instance instance, Caller by) {
        checkMetadata(instance.metadata());
        if (!instance.ephemeral()) {
            return stored.register(by, service, instance);
        }
        return routing.register(service, instance);
    }

    /** Succeeds also where there is no such instance. */
    public CompletionStage<Void> deregister(
            ServiceKey service, InstanceKey instance, boolean ephemeral, Caller by, LossCause cause) {
        if (!ephemeral) {
            return stored.deregister(by, service, instance, cause);
        }
        return routing.deregister(service, instance, cause);
    }

    private void checkMetadata(Map<String, String> metadata) {
        NamingCheck.metadata(metadata, naming.maxMetadata());
    }

    /**
     * Notes that an ephemeral instance is alive, and registers one that is described but not known.
     *
     * @param described null when the beat names the instance only
     */
    public CompletionStage<BeatResult> beat(
            ServiceKey service, InstanceKey instance, @Nullable Instance described, Caller by) {
        if (described != null) {
            checkMetadata(described.metadata());
        }
        if (described == null || described.ephemeral()) {
            return routing.beat(service, instance, described);
        }
        // Persistent instances need no beats; some clients send them all the same.
        boolean isKnown = naming.snapshot(service).published().stream()
                .anyMatch(known -> known.key().equals(instance));
        return (isKnown ? DONE : stored.register(by, service, described)).thenApply(done -> new BeatResult(true, 0));
    }

    /**
     * Sets weight, enabled and metadata of an instance, whatever its publisher says and whether it is there or not.
     *
     * @throws NamingException {@code INSTANCE_SERVICE_ABSENT}
     */
    public CompletionStage<Void> update(ServiceKey service, Instance wanted, Caller by) {
        checkMetadata(wanted.metadata());
        if (naming.find(service) == null) {
            throw new NamingException(
                    NamingException.Fault.INSTANCE_SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", service: Service{namespace='"
                            + service.namespace().id() + "', group='" + service.group() + "', name='" + service.name()
                            + "', ephemeral=" + wanted.ephemeral() + ", revision=0}");
        }
        return stored.override(
                by,
                service,
                wanted.key(),
                before -> new InstanceOverride(wanted.weight(), wanted.enabled(), wanted.metadata()));
    }

    /**
     * Sets what is not null of an instance.
     *
     * @throws CairnException {@code NOT_FOUND} when there is no such instance
     */
    public CompletionStage<Void> patch(
            ServiceKey service,
            InstanceKey instance,
            @Nullable Double weight,
            @Nullable Boolean enabled,
            @Nullable Boolean healthy,
            @Nullable Map<String, String> metadata,
            Caller by) {
        if (metadata != null) {
            checkMetadata(metadata);
        }
        find(service, instance);
        CompletionStage<Void> override = stored.override(
                by,
                service,
                instance,
                before -> new InstanceOverride(
                        weight != null ? weight : before.weight(),
                        enabled != null ? enabled : before.enabled(),
                        metadata != null ? metadata : before.metadata()));
        return healthy == null
                ? override
                : override.thenCompose(done -> stored.setHealthy(by, service, instance, healthy))
                        .thenCompose(done -> routing.healthSet(service, instance, healthy));
    }

    /**
     * The instance as its publisher describes it.
     *
     * @throws CairnException {@code NOT_FOUND} when there is none
     */
    public Instance find(ServiceKey service, InstanceKey wanted) {
        return find(service, wanted, naming.snapshot(service).published());
    }

    /** Since when and why the instances of a service have the health that they have. */
    public Function<InstanceKey, InstanceHealth> health(ServiceSnapshot snapshot) {
        return stored.health(snapshot);
    }

    /** As {@link #find}, but with what operators have set laid over it, as consumers see it. */
    public Instance findShown(ServiceKey service, InstanceKey wanted) {
        return find(service, wanted, naming.snapshot(service).instances());
    }

    private static Instance find(ServiceKey service, InstanceKey wanted, List<Instance> instances) {
        boolean hasCluster = false;
        for (Instance instance : instances) {
            if (instance.key().equals(wanted)) {
                return instance;
            }
            hasCluster |= instance.key().cluster().equals(wanted.cluster());
        }
        throw new CairnException(
                ErrorCode.NOT_FOUND,
                hasCluster
                        ? "no matched ip found!"
                        : "no ips found for cluster " + wanted.cluster() + " in service "
                                + NamingWire.groupedName(service));
    }

    /** Adds or replaces metadata of instances; gives the names of those it concerned. */
    public CompletionStage<List<String>> addMetadata(
            ServiceKey service, InstanceSelection selection, Map<String, String> metadata, Caller by) {
        checkMetadata(metadata);
        return override(by, service, selection, before -> before.withMetadata(metadata));
    }

    /** Takes out metadata that was set this way; gives the names of those it concerned. */
    public CompletionStage<List<String>> removeMetadata(
            ServiceKey service, InstanceSelection selection, Set<String> keys, Caller by) {
        return override(by, service, selection, before -> before.withoutMetadata(keys));
    }

    private CompletionStage<List<String>> override(
            Caller by, ServiceKey service, InstanceSelection selection, UnaryOperator<InstanceOverride> change) {
        ServiceSnapshot snapshot = naming.snapshot(service);
        List<InstanceKey> keys = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Instance instance : snapshot.published()) {
            if (selection.takes(instance)) {
                keys.add(instance.key());
                names.add(nameInUpdates(instance));
            }
        }
        return keys.isEmpty()
                ? CompletableFuture.completedFuture(names)
                : stored.override(by, service, keys, change).thenApply(done -> names);
    }

    /** The name of an instance in answers about metadata: {@code ip:port:unknown:cluster:kind}. */
    private static String nameInUpdates(Instance instance) {
        return instance.key().ip() + ':' + instance.key().port() + ":unknown:"
                + instance.key().cluster() + ':' + (instance.ephemeral() ? "ephemeral" : "persist");
    }

    /** The addresses and the health of all instances: {@code ip:port_healthy}. */
    public List<String> statuses(ServiceKey service) {
        List<String> statuses = new ArrayList<>();
        for (Instance instance : naming.snapshot(service).instances()) {
            statuses.add(instance.key().ip() + ':' + instance.key().port() + '_' + instance.healthy());
        }
        return statuses;
    }

    /** Reads the description of an instance that comes with a beat, {@code beat} as JSON. */
    public static BeatForm readBeat(String json) {
        try {
            return JsonInput.read(json, BeatForm::read);
        } catch (MalformedMessageException e) {
            if (e.namesField()) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "beat." + e.getMessage());
            }
            throw new NamingException(NamingException.Fault.BEAT_FORMAT, "beat: " + e.getMessage());
        }
    }
}
