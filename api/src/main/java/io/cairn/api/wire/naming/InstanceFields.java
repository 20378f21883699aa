package io.cairn.api.wire.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The unchecked fields of an instance. */
public record InstanceFields(
        @Nullable String instanceId,
        @Nullable String ip,
        int port,
        double weight,
        boolean healthy,
        boolean enabled,
        boolean ephemeral,
        @Nullable String clusterName,
        Map<String, String> metadata) {

    public static InstanceFields read(JsonInput in) {
        String instanceId = null;
        String ip = null;
        int port = 0;
        double weight = 1.0;
        boolean healthy = true;
        boolean enabled = true;
        boolean ephemeral = true;
        String clusterName = null;
        Map<String, String> metadata = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "instanceId" -> instanceId = in.text();
                case "ip" -> ip = in.text();
                case "port" -> port = in.number(0);
                case "weight" -> weight = in.decimal(1.0);
                case "healthy" -> healthy = in.flag(true);
                case "enabled" -> enabled = in.flag(true);
                case "ephemeral" -> ephemeral = in.flag(true);
                case "clusterName" -> clusterName = in.text();
                case "metadata" -> metadata = in.texts();
                default -> in.skip();
            }
        }
        return new InstanceFields(
                instanceId,
                ip,
                port,
                weight,
                healthy,
                enabled,
                ephemeral,
                clusterName,
                metadata == null ? Map.of() : metadata);
    }

    public static InstanceFields of(Instance instance) {
        return new InstanceFields(
                instance.id(),
                instance.key().ip(),
                instance.key().port(),
                instance.weight(),
                instance.healthy(),
                instance.enabled(),
                instance.ephemeral(),
                instance.key().cluster(),
                instance.metadata());
    }

    /** @throws IllegalArgumentException when the address or the port is invalid */
    public Instance toInstance() {
        InstanceKey key = new InstanceKey(ip == null ? "" : ip, port, clusterName == null ? "" : clusterName);
        return new Instance(key, weight, healthy, enabled, ephemeral, metadata, instanceId);
    }

    byte[] toJson() {
        JsonOutput out = new JsonOutput(256);
        write(out);
        return out.toBytes();
    }

    void write(JsonOutput out) {
        out.text("instanceId", instanceId)
                .text("ip", ip)
                .number("port", port)
                .decimal("weight", weight)
                .flag("healthy", healthy)
                .flag("enabled", enabled)
                .flag("ephemeral", ephemeral)
                .text("clusterName", clusterName)
                .texts("metadata", metadata);
    }
}
