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
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.group.ClientRouting;
import io.cairn.server.naming.registry.InstanceHealth;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The actions on instances over HTTP, in all versions. Never blocks. */
public final class InstanceActions {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final RegistryView reads;
    private final StoredNaming stored;
    private final ClientRouting routing;

    public InstanceActions(RegistryView reads, StoredNaming stored, ClientRouting routing) {
        this.reads = reads;
        this.stored = stored;
        this.routing = routing;
    }

    /** Registers an ephemeral instance, whose heartbeats begin now, or stores a persistent one. */
    public CompletionStage<Void> register(ServiceKey service, Instance instance, Caller by) {
        checkMetadata(instance.metadata());
        if (!instance.ephemeral()) {
            return stored.register(by, service, instance);
        }
        return routing.register(service, instance);
    }

    /** Succeeds also without such an instance. */
    public CompletionStage<Void> deregister(
            ServiceKey service, InstanceKey instance, boolean ephemeral, Caller by, LossCause cause) {
        if (!ephemeral) {
            return stored.deregister(by, service, instance, cause);
        }
        return routing.deregister(service, instance, cause);
    }

    private void checkMetadata(Map<String, String> metadata) {
        NamingCheck.metadata(metadata, reads.maxMetadata());
    }

    /**
     * Renews an ephemeral instance, and registers a described, unknown one.
     *
     * @param described null for a heartbeat with the key only
     */
    public CompletionStage<BeatResult> beat(
            ServiceKey service, InstanceKey instance, @Nullable Instance described, Caller by) {
        if (described != null) {
            checkMetadata(described.metadata());
        }
        if (described == null || described.ephemeral()) {
            return routing.beat(service, instance, described);
        }
        // Persistent instances need no heartbeats; some clients send them.
        boolean isKnown = reads.snapshot(service).published().stream()
                .anyMatch(known -> known.key().equals(instance));
        return (isKnown ? DONE : stored.register(by, service, described)).thenApply(done -> new BeatResult(true, 0));
    }

    /**
     * Sets weight, enabled and metadata of an instance, which may be absent, over its publisher's values.
     *
     * @throws NamingException {@code INSTANCE_SERVICE_ABSENT}
     */
    public CompletionStage<Void> update(ServiceKey service, Instance wanted, Caller by) {
        checkMetadata(wanted.metadata());
        if (reads.find(service) == null) {
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
                before -> before.withValues(wanted.weight(), wanted.enabled(), wanted.metadata()));
    }

    /**
     * Sets the values that are not null. To enable an instance also ends its drain.
     *
     * @throws CairnException {@code NOT_FOUND} without such an instance
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
                by, service, instance, before -> (Boolean.TRUE.equals(enabled) ? before.drainedUntil(0) : before)
                        .withValues(
                                weight != null ? weight : before.weight(),
                                enabled != null ? enabled : before.enabled(),
                                metadata != null ? metadata : before.metadata()));
        return healthy == null
                ? override
                : override.thenCompose(done -> stored.setHealthy(by, service, instance, healthy))
                        .thenCompose(done -> routing.healthSet(service, instance, healthy));
    }

    /**
     * The instance as published.
     *
     * @throws CairnException {@code NOT_FOUND} if absent
     */
    public Instance find(ServiceKey service, InstanceKey wanted) {
        return find(service, wanted, reads.snapshot(service).published());
    }

    /** The begin and the cause of the instances' health. */
    public Function<InstanceKey, InstanceHealth> health(ServiceSnapshot snapshot) {
        return stored.health(snapshot);
    }

    /** As {@link #find}, with the operators' settings, as consumers see it. */
    public Instance findShown(ServiceKey service, InstanceKey wanted) {
        return find(service, wanted, reads.snapshot(service).instances());
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

    /** Adds or replaces metadata; returns the names of the changed instances. */
    public CompletionStage<List<String>> addMetadata(
            ServiceKey service, InstanceSelection selection, Map<String, String> metadata, Caller by) {
        checkMetadata(metadata);
        return override(by, service, selection, before -> before.withMetadata(metadata));
    }

    /** Removes such metadata; returns the names of the changed instances. */
    public CompletionStage<List<String>> removeMetadata(
            ServiceKey service, InstanceSelection selection, Set<String> keys, Caller by) {
        return override(by, service, selection, before -> before.withoutMetadata(keys));
    }

    private CompletionStage<List<String>> override(
            Caller by, ServiceKey service, InstanceSelection selection, UnaryOperator<InstanceOverride> change) {
        ServiceSnapshot snapshot = reads.snapshot(service);
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

    /** The form {@code ip:port:unknown:cluster:kind}. */
    private static String nameInUpdates(Instance instance) {
        return instance.key().ip() + ':' + instance.key().port() + ":unknown:"
                + instance.key().cluster() + ':' + (instance.ephemeral() ? "ephemeral" : "persist");
    }

    /** The form {@code ip:port_healthy}. */
    public List<String> statuses(ServiceKey service) {
        List<String> statuses = new ArrayList<>();
        for (Instance instance : reads.snapshot(service).instances()) {
            statuses.add(instance.key().ip() + ':' + instance.key().port() + '_' + instance.healthy());
        }
        return statuses;
    }

    /** Reads the JSON in {@code beat}. */
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
