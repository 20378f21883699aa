package io.cairn.server.http.naming;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
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

/** How much there is in the registry, as old clients and dashboards ask for it. */
public final class RegistryMetrics {

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final NamingClients clients;
    private final ClientOwnership ownership;
    private final ReadPool pool;

    /** @param pool where all services are looked at, for a reader who may see some of them */
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

    /** What the server says of itself; clients that use it as a health check look for {@code UP}. */
    public String status() {
        Switches.ServerStatus overridden = naming.switches().overriddenStatus();
        return (overridden == null ? Switches.ServerStatus.UP : overridden).name();
    }

    /** {@code {"status":"UP"}}, with the counts where they are wanted. */
    public byte[] toJson(boolean statusOnly) {
        JsonOutput out = new JsonOutput(512).text("status", status());
        return statusOnly ? out.toBytes() : counts(out, true).toBytes();
    }

    /**
     * As {@link #toJson(boolean)}, for a reader: one who may not do everything gets the counts of the services that it may
     * read, and none of the clients, which are of the whole server.
     *
     * @param withMachine whether to add what is of the machine and not of the registry
     */
    public CompletionStage<byte[]> toJson(boolean statusOnly, boolean withMachine, Principal reader) {
        JsonOutput out = new JsonOutput(512).text("status", status());
        if (statusOnly) {
            return CompletableFuture.completedFuture(out.toBytes());
        }
        return reader.isAdmin()
                ? CompletableFuture.completedFuture(counts(out, withMachine).toBytes())
                : pool.read(() -> readable(out, reader).toBytes());
    }

    private JsonOutput readable(JsonOutput out, Principal reader) {
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
        return out.number("serviceCount", found[0])
                .number("instanceCount", found[1])
                .number("subscribeCount", subscribed);
    }

    private JsonOutput counts(JsonOutput out, boolean withMachine) {
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
        out.number("serviceCount", naming.serviceCount())
                .number("instanceCount", naming.instanceCount())
                .number("subscribeCount", subscriptions.pairs());
        if (withMachine) {
            out.number("responsibleInstanceCount", naming.instanceCount());
        }
        out.number("clientCount", connections + ephemeral + persistent)
                .number("connectionBasedClientCount", connections)
                .number("ephemeralIpPortClientCount", ephemeral)
                .number("persistentIpPortClientCount", persistent)
                .number("responsibleClientCount", own);
        return withMachine ? machine(out) : out;
    }

    private static JsonOutput machine(JsonOutput out) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long memory = system.getTotalMemorySize();
        return out.decimal("cpu", known(system.getCpuLoad()))
                .decimal("load", known(system.getSystemLoadAverage()))
                .decimal("mem", memory <= 0 ? 0 : 1 - (double) system.getFreeMemorySize() / memory);
    }

    /** A negative value or none at all says that the platform does not know. */
    private static double known(double value) {
        return value >= 0 ? value : 0;
    }
}
