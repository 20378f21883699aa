package io.cairn.server.http.naming;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.Switches;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.lang.management.ManagementFactory;

/** How much there is in the registry, as old clients and dashboards ask for it. */
public final class RegistryMetrics {

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final NamingClients clients;
    private final ClientOwnership ownership;

    public RegistryMetrics(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            NamingClients clients,
            ClientOwnership ownership) {
        this.naming = naming;
        this.subscriptions = subscriptions;
        this.clients = clients;
        this.ownership = ownership;
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

    /** As {@link #toJson}, but without what is of the machine and not of the registry. */
    public byte[] toJsonWithoutMachine(boolean statusOnly) {
        JsonOutput out = new JsonOutput(512).text("status", status());
        return statusOnly ? out.toBytes() : counts(out, false).toBytes();
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
