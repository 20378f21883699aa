package io.cairn.server.http.naming;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ReadPool;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.Switches;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The counts of the registry, as old clients and dashboards ask for them. */
public final class RegistryMetrics {

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final NamingClients clients;
    private final ClientOwnership ownership;
    private final ReadPool pool;

    /** @param pool runs walks over all services, for a reader that may see some of them */
    public RegistryMetrics(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            NamingClients clients,
            ClientOwnership ownership,
            ReadPool pool) {
        this.naming = naming;
        this.subscriptions = subscriptions;
        this.clients = clients;
        this.ownership = ownership;
        this.pool = pool;
    }

    /** The state of the server; clients that use it as a health check look for {@code UP}. */
    public String status() {
        Switches.ServerStatus overridden = naming.switches().overriddenStatus();
        return (overridden == null ? Switches.ServerStatus.UP : overridden).name();
    }

    /**
     * The state of the server and the counts. RegistryCounts that are null are left out.
     *
     * @param instanceCount of the services that the caller may read
     * @param responsibleInstanceCount of the machine, as are {@code cpu}, {@code load} and {@code mem}
     * @param clientCount of the whole server, as are the other counts of clients
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

    /** {@code {"status":"UP"}}, with all counts unless the status alone is wanted. */
    public RegistryCounts all(boolean statusOnly) {
        return statusOnly ? statusAlone() : counts(true);
    }

    /**
     * As {@link #all}, for a reader: one that may not do everything gets the counts of the services that it may read, and none
     * of the clients, which are of the whole server.
     *
     * @param withMachine whether to add what is of the machine and not of the registry
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
        for (Namespace namespace : naming.namespaces()) {
            if (reader.mayEnter(Action.READ, namespace, ResourceType.NAMING)) {
                ReadScope rows = reader.readable(namespace, ResourceType.NAMING);
                naming.forEachServiceKey(namespace, service -> {
                    if (rows.has(service)) {
                        found[0]++;
                        found[1] += naming.tally(service).instances();
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
        long instances = naming.instanceCount();
        return new RegistryCounts(
                status(),
                (long) naming.serviceCount(),
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

    /** A negative value or none at all says that the platform does not know. */
    private static double known(double value) {
        return value >= 0 ? value : 0;
    }
}
