package io.cairn.server.cluster.wire;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of instances. Omits default values, because most instances have only an address, a port and some metadata. */
final class InstanceFields {

    private static final int INSTANCE = 1;

    private static final int IP = 1;
    private static final int PORT = 2;
    private static final int CLUSTER = 3;
    private static final int WEIGHT = 4;
    private static final int FLAGS = 5;
    private static final int METADATA_KEY = 6;
    private static final int METADATA_VALUE = 7;
    private static final int ID = 8;

    private static final int UNHEALTHY = 1;
    private static final int DISABLED = 2;
    private static final int PERSISTENT = 4;
    private static final double USUAL_WEIGHT = 1.0;

    private InstanceFields() {}

    static void write(FieldWriter out, List<Instance> instances) {
        for (Instance instance : instances) {
            int start = out.open(INSTANCE);
            write(out, instance);
            out.close(start);
        }
    }

    static void write(FieldWriter out, Instance instance) {
        writeKey(out, instance.key());
        if (instance.weight() != USUAL_WEIGHT) {
            out.fixed(WEIGHT, Double.doubleToLongBits(instance.weight()));
        }
        int flags = (instance.healthy() ? 0 : UNHEALTHY)
                | (instance.enabled() ? 0 : DISABLED)
                | (instance.ephemeral() ? 0 : PERSISTENT);
        out.number(FLAGS, flags, 0);
        for (Map.Entry<String, String> each : instance.metadata().entrySet()) {
            out.text(METADATA_KEY, each.getKey());
            out.text(METADATA_VALUE, each.getValue());
        }
        String id = instance.id();
        if (id != null) {
            out.text(ID, id);
        }
    }

    static void writeKey(FieldWriter out, InstanceKey key) {
        out.text(IP, key.ip());
        out.number(PORT, key.port());
        out.text(CLUSTER, key.cluster(), InstanceKey.DEFAULT_CLUSTER);
    }

    static List<Instance> read(byte[] bytes, int size) {
        List<Instance> instances = new ArrayList<>(size);
        FieldReader in = new FieldReader("instances", bytes, 0, bytes.length);
        while (in.next()) {
            if (in.tag() == INSTANCE) {
                instances.add(readInstance(in.nested("instance")));
            }
        }
        return instances;
    }

    static Instance readInstance(FieldReader in) {
        KeyFields key = new KeyFields();
        double weight = USUAL_WEIGHT;
        int flags = 0;
        Map<String, String> metadata = Map.of();
        String metadataKey = null;
        String id = null;
        while (in.next()) {
            switch (in.tag()) {
                case WEIGHT -> weight = Double.longBitsToDouble(in.fixed("weight"));
                case FLAGS -> flags = in.number("flags", 0, Integer.MAX_VALUE);
                case METADATA_KEY -> metadataKey = InternedTexts.of(in.text());
                case METADATA_VALUE -> {
                    if (metadataKey == null) {
                        throw in.malformed("metadata", "a value without a key");
                    }
                    if (metadata.isEmpty()) {
                        metadata = new LinkedHashMap<>();
                    }
                    metadata.put(metadataKey, in.text());
                    metadataKey = null;
                }
                case ID -> id = in.text();
                default -> key.take(in);
            }
        }
        return new Instance(
                key.toKey(in),
                weight,
                (flags & UNHEALTHY) == 0,
                (flags & DISABLED) == 0,
                (flags & PERSISTENT) == 0,
                metadata,
                id);
    }

    static InstanceKey readKey(FieldReader in) {
        KeyFields key = new KeyFields();
        while (in.next()) {
            key.take(in);
        }
        return key.toKey(in);
    }

    private static final class KeyFields {

        private @Nullable String ip;
        private int port = -1;
        private String cluster = InstanceKey.DEFAULT_CLUSTER;

        void take(FieldReader in) {
            switch (in.tag()) {
                case IP -> ip = in.text();
                case PORT -> port = in.number("port", 0, 65535);
                case CLUSTER -> cluster = InternedTexts.of(in.text());
                default -> {
                    // A field of a later version
                }
            }
        }

        InstanceKey toKey(FieldReader in) {
            if (ip == null || ip.isBlank() || port < 0) {
                throw in.malformed("key", "ip " + ip + ", port " + port + " (expected: both)");
            }
            return new InstanceKey(ip, port, cluster);
        }
    }

    /** Checks all that {@link #read} relies on, without creating the instances. Returns their number. */
    static int check(byte[] bytes) {
        int size = 0;
        FieldReader in = new FieldReader("instances", bytes, 0, bytes.length);
        while (in.next()) {
            if (in.tag() == INSTANCE) {
                checkInstance(in.nested("instance"));
                size++;
            }
        }
        return size;
    }

    private static void checkInstance(FieldReader in) {
        boolean ip = false;
        boolean port = false;
        boolean metadataKey = false;
        while (in.next()) {
            switch (in.tag()) {
                case IP -> ip = in.isNotBlank();
                case PORT -> {
                    in.number("port", 0, 65535);
                    port = true;
                }
                case WEIGHT -> in.fixed("weight");
                case FLAGS -> in.number("flags", 0, Integer.MAX_VALUE);
                case METADATA_KEY -> metadataKey = true;
                case METADATA_VALUE -> {
                    if (!metadataKey) {
                        throw in.malformed("metadata", "a value without a key");
                    }
                    metadataKey = false;
                }
                default -> {
                    // Texts, which are always readable, and fields of later versions.
                }
            }
        }
        if (!ip || !port) {
            throw in.malformed("key", "no ip or no port (expected: both)");
        }
    }
}
