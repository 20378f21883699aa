package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.naming.registry.InstanceHealth;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.databind.util.RawValue;

/** The JSON of instances, from the bytes for clients. */
public final class NamingJson {

    private NamingJson() {}

    /** Instances for clients, made when written. */
    public static Rows<byte[]> rows(List<Instance> instances, ServiceKey service) {
        String groupedName = NamingWire.groupedName(service);
        return Rows.ofJson(instances, instance -> NamingWire.instance(instance, groupedName));
    }

    /** As {@link #rows(List, ServiceKey)}, with begin and cause of the health. */
    public static Rows<byte[]> rows(
            List<Instance> instances, ServiceKey service, Function<InstanceKey, InstanceHealth> health) {
        String groupedName = NamingWire.groupedName(service);
        return Rows.ofJson(instances, instance -> instance(instance, groupedName, health.apply(instance.key())));
    }

    /** Instances for clients, in a record for Jackson. */
    public static List<RawValue> raw(Iterable<Instance> instances, ServiceKey service) {
        String groupedName = NamingWire.groupedName(service);
        List<RawValue> all = new ArrayList<>();
        for (Instance instance : instances) {
            all.add(new RawValue(new String(NamingWire.instance(instance, groupedName), StandardCharsets.UTF_8)));
        }
        return all;
    }

    /** An instance for clients, with begin and cause of the health. */
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
        if (health.drainEndMillis() != 0) {
            more.number("drainedUntil", health.drainEndMillis());
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

    /** One JSON object with the members of both. */
    private static byte[] joined(byte[] object, byte[] more) {
        if (more.length <= 2) {
            return object;
        }
        byte[] both = Arrays.copyOf(object, object.length + more.length - 1);
        both[object.length - 1] = ',';
        System.arraycopy(more, 1, both, object.length, more.length - 1);
        return both;
    }

    /** The clusters with instances or settings, in order. */
    public static Set<String> clustersAndSettings(ServiceSnapshot service) {
        Set<String> clusters = clusters(service);
        clusters.addAll(service.settings().clusters().keySet());
        return clusters;
    }

    /** The clusters with instances, in order. */
    public static Set<String> clusters(ServiceSnapshot service) {
        Set<String> clusters = new TreeSet<>();
        for (Instance instance : service.instances()) {
            clusters.add(instance.key().cluster());
        }
        return clusters;
    }
}
