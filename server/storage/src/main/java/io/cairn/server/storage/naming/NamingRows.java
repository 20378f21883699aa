package io.cairn.server.storage.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.lease.KnownService;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The registry's JSON columns; unknown fields are ignored. */
public final class NamingRows {

    private NamingRows() {}

    static String settings(ServiceSettings settings) {
        return text(new JsonOutput(256)
                .flag("ephemeral", settings.ephemeral())
                .decimal("protectThreshold", settings.protectThreshold())
                .texts("metadata", settings.metadata())
                .text("selector", settings.selector().stored())
                .objects("clusters", settings.clusters().entrySet(), (entry, out) -> out.text("name", entry.getKey())
                        .text("healthChecker", entry.getValue().healthChecker())
                        .number("checkPort", entry.getValue().checkPort())
                        .flag("useInstancePort", entry.getValue().useInstancePort())
                        .texts("metadata", entry.getValue().metadata())));
    }

    static ServiceSettings settings(String json) {
        return JsonInput.read(json, in -> {
            ServiceSettings read = ServiceSettings.ofKind(true);
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "ephemeral" -> read = with(read, in.flag(true), read.protectThreshold());
                    case "protectThreshold" -> read = with(read, read.ephemeral(), in.decimal(0));
                    case "metadata" ->
                        read = new ServiceSettings(
                                read.ephemeral(),
                                read.protectThreshold(),
                                orEmpty(in.texts()),
                                read.selector(),
                                read.clusters());
                    case "selector" -> {
                        String selector = in.text();
                        read = new ServiceSettings(
                                read.ephemeral(),
                                read.protectThreshold(),
                                read.metadata(),
                                selector == null ? LabelSelector.NONE : LabelSelector.ofStored(selector),
                                read.clusters());
                    }
                    case "clusters" -> {
                        Map<String, ClusterSettings> clusters = new LinkedHashMap<>();
                        in.objects(NamingRows::cluster)
                                .forEach(cluster -> clusters.put(cluster.getKey(), cluster.getValue()));
                        read = new ServiceSettings(
                                read.ephemeral(), read.protectThreshold(), read.metadata(), read.selector(), clusters);
                    }
                    default -> in.skip();
                }
            }
            return read;
        });
    }

    private static ServiceSettings with(ServiceSettings settings, boolean ephemeral, double threshold) {
        return new ServiceSettings(ephemeral, threshold, settings.metadata(), settings.selector(), settings.clusters());
    }

    private static Map.Entry<String, ClusterSettings> cluster(JsonInput in) {
        String name = InstanceKey.DEFAULT_CLUSTER;
        String checker = ClusterSettings.DEFAULT.healthChecker();
        int port = ClusterSettings.DEFAULT.checkPort();
        boolean useInstancePort = true;
        Map<String, String> metadata = Map.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "name" -> name = orElse(in.text(), name);
                case "healthChecker" -> checker = orElse(in.text(), checker);
                case "checkPort" -> port = in.number(port);
                case "useInstancePort" -> useInstancePort = in.flag(true);
                case "metadata" -> metadata = orEmpty(in.texts());
                default -> in.skip();
            }
        }
        return Map.entry(name, new ClusterSettings(checker, port, useInstancePort, metadata));
    }

    static String instance(Instance instance) {
        JsonOutput out = new JsonOutput(256);
        write(instance, out);
        return text(out);
    }

    private static void write(InstanceKey key, JsonOutput out) {
        out.text("ip", key.ip()).number("port", key.port()).text("cluster", key.cluster());
    }

    private static void write(Instance instance, JsonOutput out) {
        write(instance.key(), out);
        out.decimal("weight", instance.weight())
                .flag("healthy", instance.healthy())
                .flag("enabled", instance.enabled())
                .flag("ephemeral", instance.ephemeral())
                .texts("metadata", instance.metadata())
                .text("id", instance.id());
    }

    static Instance instance(String json) {
        return JsonInput.read(json, NamingRows::readInstance);
    }

    private static Instance readInstance(JsonInput in) {
        String ip = null;
        int port = 0;
        String cluster = InstanceKey.DEFAULT_CLUSTER;
        double weight = 1;
        boolean healthy = true;
        boolean enabled = true;
        boolean ephemeral = true;
        Map<String, String> metadata = Map.of();
        String id = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "ip" -> ip = in.text();
                case "port" -> port = in.number(0);
                case "cluster" -> cluster = orElse(in.text(), cluster);
                case "weight" -> weight = in.decimal(1);
                case "healthy" -> healthy = in.flag(true);
                case "enabled" -> enabled = in.flag(true);
                case "ephemeral" -> ephemeral = in.flag(true);
                case "metadata" -> metadata = orEmpty(in.texts());
                case "id" -> id = in.text();
                default -> in.skip();
            }
        }
        return new Instance(
                new InstanceKey(orElse(ip, ""), port, cluster), weight, healthy, enabled, ephemeral, metadata, id);
    }

    /** @param parts number of the service's rows in its first one; else 1 */
    public static String known(KnownService known, int parts) {
        List<Instance> connected = new ArrayList<>(known.ofConnections().size());
        List<String> sdks = new ArrayList<>(known.ofConnections().size());
        for (KnownService.Connected each : known.ofConnections()) {
            connected.add(each.instance());
            sdks.add(each.sdk());
        }
        JsonOutput out = new JsonOutput(
                        64 + connected.size() * 288 + known.beating().size() * 256)
                .objects("connected", connected, NamingRows::write)
                .textList("sdks", sdks)
                .objects("beating", known.beating(), NamingRows::write)
                .objects("unhealthy", known.unhealthy(), NamingRows::write);
        return text(parts == 1 ? out : out.number("parts", parts));
    }

    public static int parts(String json) {
        return JsonInput.read(json, in -> {
            int parts = 1;
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                if (field.equals("parts")) {
                    parts = in.number(1);
                } else {
                    in.skip();
                }
            }
            return parts;
        });
    }

    public static KnownService known(ServiceKey service, String json) {
        return JsonInput.read(json, in -> {
            List<Instance> connected = List.of();
            List<String> sdks = List.of();
            List<Instance> beating = List.of();
            List<InstanceKey> unhealthy = List.of();
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "connected" -> connected = in.objects(NamingRows::readInstance);
                    case "sdks" -> sdks = in.textList();
                    case "beating" -> beating = in.objects(NamingRows::readInstance);
                    case "unhealthy" ->
                        unhealthy = in.objects(key -> readInstance(key).key());
                    default -> in.skip();
                }
            }
            // Older files have no SDKs.
            boolean noted = sdks.size() == connected.size();
            List<KnownService.Connected> ofConnections = new ArrayList<>(connected.size());
            for (int i = 0; i < connected.size(); i++) {
                ofConnections.add(new KnownService.Connected(connected.get(i), noted ? sdks.get(i) : ""));
            }
            return new KnownService(service, ofConnections, beating, unhealthy);
        });
    }

    static String override(InstanceOverride override) {
        JsonOutput out = new JsonOutput(128);
        if (override.weight() != null) {
            out.decimal("weight", override.weight());
        }
        if (override.enabled() != null) {
            out.flag("enabled", override.enabled());
        }
        if (override.isDraining()) {
            out.number("drainEnd", override.drainEndMillis());
        }
        return text(out.texts("metadata", override.metadata()));
    }

    static InstanceOverride override(String json) {
        return JsonInput.read(json, in -> {
            Double weight = null;
            Boolean enabled = null;
            Map<String, String> metadata = Map.of();
            long drainEnd = 0;
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "weight" -> weight = in.decimal(1);
                    case "enabled" -> enabled = in.flag(true);
                    case "metadata" -> metadata = orEmpty(in.texts());
                    case "drainEnd" -> drainEnd = (long) in.decimal(0);
                    default -> in.skip();
                }
            }
            return new InstanceOverride(weight, enabled, metadata, drainEnd);
        });
    }

    private static String text(JsonOutput out) {
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }

    private static String orElse(@Nullable String text, String otherwise) {
        return text == null ? otherwise : text;
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> texts) {
        return texts == null ? Map.of() : texts;
    }
}
