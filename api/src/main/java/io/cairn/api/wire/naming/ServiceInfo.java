package io.cairn.api.wire.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service, as a client reads them.
 *
 * @param hosts those with an address; null when absent
 * @param generatedAt in ms since 1970
 * @param protectedByThreshold whether unhealthy instances are shown as healthy, because they are too many
 */
public record ServiceInfo(
        @Nullable String name,
        @Nullable String group,
        String clusters,
        @Nullable List<Instance> hosts,
        long generatedAt,
        boolean protectedByThreshold) {

    public static ServiceInfo read(JsonInput in) {
        String name = null;
        String group = null;
        String clusters = "";
        List<Instance> hosts = null;
        long generatedAt = 0;
        boolean protectedByThreshold = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "name" -> name = in.text();
                case "groupName" -> group = in.text();
                case "clusters" -> clusters = in.textOr("");
                case "hosts" -> hosts = instances(in.objects(InstanceFields::read));
                case "lastRefTime" -> generatedAt = (long) in.decimal(0);
                case "reachProtectionThreshold" -> protectedByThreshold = in.flag(false);
                default -> in.skip();
            }
        }
        return new ServiceInfo(name, group, clusters, hosts, generatedAt, protectedByThreshold);
    }

    /** Skips instances without an address, which old registries contain. */
    static List<Instance> instances(List<InstanceFields> hosts) {
        List<Instance> instances = new ArrayList<>(hosts.size());
        for (InstanceFields host : hosts) {
            try {
                instances.add(host.toInstance());
            } catch (IllegalArgumentException e) {
                System.getLogger("io.cairn.api")
                        .log(
                                System.Logger.Level.DEBUG,
                                "An instance that cannot be one is left out: {0}",
                                e.getMessage());
            }
        }
        return instances;
    }

    /** Omits the fields that only a server knows. */
    public byte[] toJson() {
        JsonOutput out = new JsonOutput(256)
                .text("name", name)
                .text("groupName", group)
                .text("clusters", clusters)
                .number("lastRefTime", generatedAt)
                .flag("reachProtectionThreshold", protectedByThreshold);
        if (hosts != null) {
            out.objects("hosts", hosts, (host, each) -> InstanceFields.of(host).write(each));
        }
        return out.toBytes();
    }
}
