package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.InstanceHealth;
import io.cairn.server.naming.ServiceSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.databind.util.RawValue;

/** The JSON of instances, made of the bytes that clients get. */
public final class NamingJson {

    private NamingJson() {}

    /** An array of values that are JSON already. */
    public static byte[] array(Collection<byte[]> values) {
        int size = 2 + Math.max(0, values.size() - 1);
        for (byte[] value : values) {
            size += value.length;
        }
        byte[] all = new byte[size];
        int at = 0;
        all[at++] = '[';
        for (byte[] value : values) {
            if (at > 1) {
                all[at++] = ',';
            }
            System.arraycopy(value, 0, all, at, value.length);
            at += value.length;
        }
        all[at] = ']';
        return all;
    }

    /** Instances as clients get them, as an array. */
    public static byte[] instances(Iterable<Instance> instances, ServiceKey service) {
        String groupedName = NamingWire.groupedName(service);
        List<byte[]> all = new ArrayList<>();
        for (Instance instance : instances) {
            all.add(NamingWire.instance(instance, groupedName));
        }
        return array(all);
    }

    /** As {@link #instances(Iterable, ServiceKey)}, each with since when and why it has the health that it has. */
    public static byte[] instances(
            Iterable<Instance> instances, ServiceKey service, Function<InstanceKey, InstanceHealth> health) {
        String groupedName = NamingWire.groupedName(service);
        List<byte[]> all = new ArrayList<>();
        for (Instance instance : instances) {
            all.add(instance(instance, groupedName, health.apply(instance.key())));
        }
        return array(all);
    }

    /** Instances as clients get them, for a record that Jackson writes. */
    public static List<RawValue> raw(Iterable<Instance> instances, ServiceKey service) {
        String groupedName = NamingWire.groupedName(service);
        List<RawValue> all = new ArrayList<>();
        for (Instance instance : instances) {
            all.add(new RawValue(new String(NamingWire.instance(instance, groupedName), StandardCharsets.UTF_8)));
        }
        return all;
    }

    /** An instance as clients get it, with since when and why it has the health that it has. */
    public static byte[] instance(Instance instance, String groupedName, InstanceHealth health) {
        JsonOutput more = new JsonOutput(192);
        if (health.sinceMillis() > 0) {
            more.number("healthSince", health.sinceMillis());
        }
        if (health.reason() != null) {
            more.text("unhealthyBecause", health.reason());
        }
        if (health.lastBeatMillis() > 0) {
            more.number("lastBeat", health.lastBeatMillis());
        }
        InstanceHealth.LastCheck check = health.lastCheck();
        if (check != null) {
            more.json(
                    "lastCheck",
                    new JsonOutput(128)
                            .number("time", check.atMillis())
                            .flag("passed", check.passed())
                            .text("text", check.text())
                            .toBytes());
        }
        return joined(NamingWire.instance(instance, groupedName), more.toBytes());
    }

    /** One JSON object with the members of both, neither of which is known to the other. */
    private static byte[] joined(byte[] object, byte[] more) {
        if (more.length <= 2) {
            return object;
        }
        byte[] both = Arrays.copyOf(object, object.length + more.length - 1);
        both[object.length - 1] = ',';
        System.arraycopy(more, 1, both, object.length, more.length - 1);
        return both;
    }

    /** The clusters that a service has instances in or settings for, in order. */
    public static Set<String> clustersAndSettings(ServiceSnapshot service) {
        Set<String> clusters = clusters(service);
        clusters.addAll(service.settings().clusters().keySet());
        return clusters;
    }

    /** The clusters that a service has instances in, in order. */
    public static Set<String> clusters(ServiceSnapshot service) {
        Set<String> clusters = new TreeSet<>();
        for (Instance instance : service.instances()) {
            clusters.add(instance.key().cluster());
        }
        return clusters;
    }
}
