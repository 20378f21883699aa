package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.InstanceHealth;
import io.cairn.server.naming.InstanceLosses;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.subscription.Subscriber;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** The JSON of services, instances and subscribers that versions of the API have in common. */
public final class NamingJson {

    /** Health checkers and what they can be told. */
    public static final String CHECKERS = "{\"TCP\":{},\"HTTP\":{\"path\":\"\",\"headers\":\"\","
            + "\"expectedResponseCode\":200},\"MYSQL\":{\"user\":null,\"pwd\":null,\"cmd\":null},\"NONE\":{}}";

    /** Kinds of selectors. */
    public static final String SELECTOR_TYPES = "[\"label\",\"none\"]";

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

    /** A selector as it is shown: what operators write, with the context that its values come from. */
    public static byte[] selector(LabelSelector selector) {
        JsonOutput out = new JsonOutput(96);
        if (selector.expression() == null) {
            out.text("type", "none").text("contextType", "NONE");
        } else {
            out.text("type", "label")
                    .text("expression", selector.expression())
                    .textList("labels", selector.labels())
                    .text("contextType", "CMDB");
        }
        return out.toBytes();
    }

    /** What a service lost last, as an array; the latest first. */
    public static byte[] losses(List<InstanceLosses.Loss> losses) {
        return JsonOutput.array(
                losses, (loss, out) -> out.text("cause", loss.cause().name())
                        .text("text", loss.cause().text())
                        .number("time", loss.atMillis())
                        .number("count", loss.count())
                        .text("example", loss.example()));
    }

    /** The clusters that a service has instances in, in order. */
    public static Set<String> clusters(ServiceSnapshot service) {
        Set<String> clusters = new TreeSet<>();
        for (Instance instance : service.instances()) {
            clusters.add(instance.key().cluster());
        }
        return clusters;
    }

    /** One line of a list of services. */
    public static void summary(NamingService naming, ServiceSnapshot service, JsonOutput out) {
        int healthy = 0;
        for (Instance instance : service.instances()) {
            healthy += instance.healthy() ? 1 : 0;
        }
        out.text("name", service.service().name())
                .text("groupName", service.service().group())
                .number("clusterCount", clusters(service).size())
                .number("ipCount", service.size())
                .number("healthyInstanceCount", healthy)
                .text("triggerFlag", naming.view(service.service(), "", false).isProtected() ? "true" : "false");
    }

    /** One subscriber of a service. */
    public static void subscriber(Subscriber subscriber, ServiceKey service, JsonOutput out) {
        String ip = subscriber.ip();
        out.text("addrStr", subscriber.port() > 0 ? ip + ':' + subscriber.port() : ip)
                .text("agent", subscriber.agent())
                .text("app", subscriber.app())
                .text("ip", ip)
                .number("port", subscriber.port())
                .text("namespaceId", service.namespace().id())
                .text("serviceName", NamingWire.groupedName(service))
                .text("cluster", subscriber.clusters());
    }

    /** What an instance is called in answers about metadata: {@code ip:port:unknown:cluster:kind}. */
    public static String nameInUpdates(Instance instance) {
        return instance.key().ip() + ':' + instance.key().port() + ":unknown:"
                + instance.key().cluster() + ':' + (instance.ephemeral() ? "ephemeral" : "persist");
    }

    /** The addresses and the health of all instances, as the status endpoints list them. */
    public static byte[] statuses(NamingService naming, ServiceKey service) {
        List<String> ips = new ArrayList<>();
        for (Instance instance : naming.snapshot(service).instances()) {
            ips.add(instance.key().ip() + ':' + instance.key().port() + '_' + instance.healthy());
        }
        return new JsonOutput(64 + ips.size() * 24).textList("ips", ips).toBytes();
    }
}
