package io.cairn.api.wire.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;

/** The wire format of services and instances, over gRPC and HTTP. */
public final class NamingWire {

    public static final String SEPARATOR = "@@";

    private static final String SIMPLE_IDS = "simple";
    private static final String NUMBERED_IDS = "snowflake";

    private NamingWire() {}

    /** {@code group@@name}. */
    public static String groupedName(ServiceKey service) {
        return service.group() + SEPARATOR + service.name();
    }

    /** {@code namespace@@group@@name}, for fuzzy watches. */
    public static String serviceKey(ServiceKey service) {
        return service.namespace() + SEPARATOR + service.group() + SEPARATOR + service.name();
    }

    /** The default id of an instance: {@code ip#port#cluster#group@@service}. */
    public static String simpleId(InstanceKey instance, String groupedName) {
        return instance.ip() + '#' + instance.port() + '#' + instance.cluster() + '#' + groupedName;
    }

    /**
     * A numbered id: {@code number#cluster#group@@service}. The number is a hash, so a repeated registration keeps the id.
     */
    public static String numberedId(InstanceKey instance, String groupedName) {
        String parts = instance.ip() + '#' + instance.port() + '#' + instance.cluster() + '#' + groupedName;
        long number = 0xcbf29ce484222325L;
        for (int i = 0; i < parts.length(); i++) {
            // FNV-1a, 64 bits.
            number = (number ^ parts.charAt(i)) * 0x100000001b3L;
        }
        return (number & Long.MAX_VALUE) + "#" + instance.cluster() + '#' + groupedName;
    }

    /** The publisher's id, otherwise a default id. */
    public static String instanceId(Instance instance, String groupedName) {
        if (instance.id() != null) {
            return instance.id();
        }
        return NUMBERED_IDS.equals(instance.metadata().get(Instance.ID_GENERATOR))
                ? numberedId(instance.key(), groupedName)
                : simpleId(instance.key(), groupedName);
    }

    /** The JSON object for clients. */
    public static byte[] instance(Instance instance, String groupedName) {
        JsonOutput out = new JsonOutput(384);
        writeInstance(instance, groupedName, out);
        return out.toBytes();
    }

    private static void writeInstance(Instance instance, String groupedName, JsonOutput out) {
        InstanceKey key = instance.key();
        out.text("instanceId", instanceId(instance, groupedName))
                .text("ip", key.ip())
                .number("port", key.port())
                .decimal("weight", instance.weight())
                .flag("healthy", instance.healthy())
                .flag("enabled", instance.enabled())
                .flag("ephemeral", instance.ephemeral())
                .text("clusterName", key.cluster())
                .text("serviceName", groupedName)
                .texts("metadata", instance.metadata())
                .number("instanceHeartBeatInterval", instance.beatInterval().toMillis())
                .number("instanceHeartBeatTimeOut", instance.beatTimeout().toMillis())
                .number("ipDeleteTimeout", instance.deleteTimeout().toMillis());
        String generator = instance.metadata().get(Instance.ID_GENERATOR);
        if (generator != null || instance.metadata().isEmpty()) {
            out.text("instanceIdGenerator", generator != null ? generator : SIMPLE_IDS);
        }
    }
}
