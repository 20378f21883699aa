package io.cairn.server.http.naming;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ReadPool;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The counts of the registry, for old clients and dashboards. */
public final class RegistryMetrics {

    private final RegistryView reads;
    private final Switches switches;
    private final ServiceSubscriptions subscriptions;
    private final NamingClients clients;
    private final ClientOwnership ownership;
    private final ReadPool pool;

    /** @param pool visits all services for a reader with limited rights */
    public RegistryMetrics(
            RegistryView reads,
            Switches switches,
            ServiceSubscriptions subscriptions,
            NamingClients clients,
            ClientOwnership ownership,
            ReadPool pool) {
        this.reads = reads;
        this.switches = switches;
        this.subscriptions = subscriptions;
        this.clients = clients;
        this.ownership = ownership;
        this.pool = pool;
    }

    /** Clients that use it as a health check expect {@code UP}. */
    public String status() {
        Switches.ServerStatus overridden = switches.overriddenStatus();
        return (overridden == null ? Switches.ServerStatus.UP : overridden).name();
    }

    /**
     * State and counts; null members are left out.
     *
     * @param instanceCount of readable services
     * @param responsibleInstanceCount of the machine, as {@code cpu}, {@code load} and {@code mem}
     * @param clientCount of the whole server, as the other counts of clients
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record RegistryCounts(
            String status,
            @Nullable Long serviceCount,
            @Nullable Long instanceCount,
            @Nullable Long subscribeCount,
            @Nullable Long responsibleInstanceCount,
            @Nullable Integer clientCount,
            @Nullable Integer connectionBasedClientCount,
            @Nullable Integer ephemeralIpPortClientCount,
            @Nullable Integer persistentIpPortClientCount,
            @Nullable Integer responsibleClientCount,
            @Nullable Double cpu,
            @Nullable Double load,
            @Nullable Double mem) {

        static RegistryCounts ofServices(
                String status, @Nullable Long services, @Nullable Long instances, @Nullable Long pairs) {
            return new RegistryCounts(
                    status, services, instances, pairs, null, null, null, null, null, null, null, null, null);
        }
    }

    /** {@code {"status":"UP"}}, with all counts unless only the status is requested. */
    public RegistryCounts all(boolean statusOnly) {
        return statusOnly ? statusAlone() : counts(true);
    }

    /**
     * As {@link #all}; a reader with limited rights gets the counts of readable services, and no counts of clients, which cover the
     * whole server.
     *
     * @param withMachine whether to add values of the machine
     */
    public CompletionStage<RegistryCounts> readable(boolean statusOnly, boolean withMachine, Principal reader) {
        if (statusOnly) {
            return CompletableFuture.completedFuture(statusAlone());
        }
        return reader.isAdmin()
                ? CompletableFuture.completedFuture(counts(withMachine))
                : pool.read(() -> readable(reader));
    }

    private RegistryCounts statusAlone() {
        return RegistryCounts.ofServices(status(), null, null, null);
    }

    private RegistryCounts readable(Principal reader) {
        long[] found = new long[2];
        for (Namespace namespace : reads.namespaces()) {
            if (reader.mayEnter(Action.READ, namespace, ResourceType.NAMING)) {
                ReadScope rows = reader.readable(namespace, ResourceType.NAMING);
                reads.forEachServiceKey(namespace, service -> {
                    if (rows.has(service)) {
                        found[0]++;
                        found[1] += reads.tally(service).instances();
                    }
                });
            }
        }
        long subscribed = subscriptions.services().stream()
                .filter(reader::mayRead)
                .mapToLong(service -> subscriptions.of(service).size())
                .sum();
        return RegistryCounts.ofServices(status(), found[0], found[1], subscribed);
    }

    private RegistryCounts counts(boolean withMachine) {
        int connections = 0;
        int ephemeral = 0;
        int persistent = 0;
        int own = 0;
        for (String id : clients.ids()) {
            boolean isEphemeral = id.endsWith("#true");
            boolean isPersistent = id.endsWith("#false");
            ephemeral += isEphemeral ? 1 : 0;
            persistent += isPersistent ? 1 : 0;
            connections += isEphemeral || isPersistent ? 0 : 1;
            own += !isEphemeral && !isPersistent || ownership.isOwn(id) ? 1 : 0;
        }
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long memory = system.getTotalMemorySize();
        long instances = reads.instanceCount();
        return new RegistryCounts(
                status(),
                (long) reads.serviceCount(),
                instances,
                subscriptions.pairs(),
                withMachine ? instances : null,
                connections + ephemeral + persistent,
                connections,
                ephemeral,
                persistent,
                own,
                withMachine ? known(system.getCpuLoad()) : null,
                withMachine ? known(system.getSystemLoadAverage()) : null,
                withMachine ? (memory <= 0 ? 0 : 1 - (double) system.getFreeMemorySize() / memory) : null);
    }

    /** Negative or NaN values mean that the platform does not know. */
    private static double known(double value) {
        return value >= 0 ? value : 0;
    }
}
