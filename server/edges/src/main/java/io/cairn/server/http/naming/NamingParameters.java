package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.view.ServiceView;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and checks services and instances in queries and forms. Each fault is a {@link CairnException}: {@link ParameterException}
 * for missing or illegal names, {@link NamingException} for faults with their own codes.
 */
public final class NamingParameters {

    public static final Parameter<String> NAMESPACE_ID =
            Parameter.exact("namespaceId", "The namespace; public when absent");
    public static final Parameter<String> GROUP_NAME =
            Parameter.text("groupName", "The group; DEFAULT_GROUP when absent").orNone();
    public static final Parameter<String> SERVICE_NAME =
            Parameter.text("serviceName", "The service; the group and @@ may precede it");
    public static final Parameter<String> IP = Parameter.text("ip", "The address of the instance");
    public static final Parameter<String> PORT =
            Parameter.text("port", "The port of the instance, from 0 to 65535").typed("integer");
    public static final Parameter<String> CLUSTER_NAME =
            Parameter.text("clusterName", "The cluster of the service").orNone();
    public static final Parameter<String> CLUSTER = Parameter.text(
                    "cluster", "The cluster, where clusterName is absent")
            .orNone();
    public static final Parameter<Double> WEIGHT = Parameter.decimal("weight", "The share of the traffic")
            .orNone()
            .within(0, NamingCheck.MAX_WEIGHT, NamingCheck::weight);

    /** As {@link #WEIGHT}, of an instance that is registered. */
    public static final Parameter<Double> WEIGHT_OR_ONE = WEIGHT.orElse(1.0);

    public static final Parameter<Boolean> HEALTHY = Parameter.flag("healthy", "Whether the instance is healthy");
    public static final Parameter<Boolean> ENABLED = Parameter.flag("enabled", "Whether the instance gets traffic");
    public static final Parameter<Boolean> ENABLE =
            Parameter.flag("enable", "As enabled, where that is absent").orElse(true);
    public static final Parameter<Boolean> EPHEMERAL =
            Parameter.flag("ephemeral", "Whether the instance ends with its client");
    public static final Parameter<Map<String, String>> METADATA = Parameter.exact(
                    "metadata", "The metadata, as a JSON object or as k=v,k=v")
            .as(NamingParameters::metadata);

    /** The metadata that a change sets; {@code null} leaves it as it is. */
    static final Parameter<String> CHANGED_METADATA = Parameter.text(
                    "metadata", "The new metadata, as a JSON object or as k=v,k=v; null leaves it as it is")
            .orNone();

    public static final Parameter<Double> PROTECT_THRESHOLD = Parameter.decimal(
                    "protectThreshold",
                    "The share of healthy instances below which all instances are listed as healthy")
            .orNone()
            .within(0, 1)
            .orElse(0.0);
    static final Parameter<String> SELECTOR = Parameter.text("selector", "The selector of instances by labels, as JSON")
            .orNone();

    private static final String NONE = "None";
    private static final String JSON_NULL = "null";

    private NamingParameters() {}

    public static Namespace namespace(HttpRequest request) {
        String id = NAMESPACE_ID.orNull(request);
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    public static String group(HttpRequest request) {
        String group = GROUP_NAME.orNull(request);
        ParameterCheck.group(group);
        return group == null ? ServiceKey.DEFAULT_GROUP : group;
    }

    /** The service in {@code serviceName} with or without its group, {@code groupName} and {@code namespaceId}. */
    public static ServiceKey service(HttpRequest request) {
        Namespace namespace = namespace(request);
        return service(namespace, SERVICE_NAME.of(request), request);
    }

    private static ServiceKey service(Namespace namespace, String spelled, HttpRequest request) {
        int separator = spelled.indexOf(NamingWire.SEPARATOR);
        if (separator < 0) {
            NamingCheck.serviceName(spelled);
            return new ServiceKey(namespace, group(request), spelled);
        }
        return grouped(namespace, spelled, separator);
    }

    /** The service of a name that must contain its group. */
    public static ServiceKey grouped(Namespace namespace, String spelled) {
        int separator = spelled.indexOf(NamingWire.SEPARATOR);
        if (separator < 0) {
            throw new NamingException(
                    NamingException.Fault.MALFORMED_SERVICE_NAME,
                    "Param 'serviceName' is illegal, it should be format as 'groupName@@serviceName'");
        }
        return grouped(namespace, spelled, separator);
    }

    private static ServiceKey grouped(Namespace namespace, String spelled, int separator) {
        String group = spelled.substring(0, separator);
        String name = spelled.substring(separator + NamingWire.SEPARATOR.length());
        if (group.isBlank() || name.isBlank()) {
            throw new NamingException(
                    NamingException.Fault.MALFORMED_SERVICE_NAME,
                    "Param 'serviceName' is illegal, " + (group.isBlank() ? "groupName" : "serviceName")
                            + " can't be empty");
        }
        ParameterCheck.group(group);
        NamingCheck.serviceName(name);
        return new ServiceKey(namespace, group, name);
    }

    public static String decoded(String path) {
        try {
            // A plus sign in a path is literal.
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "path: '" + path + "' (expected: properly percent-encoded)", e);
        }
    }

    /** The service of the status endpoints: {@code group@@name}, perhaps after a namespace and {@code ##}. */
    public static ServiceKey statusKey(String key) {
        int separator = key.indexOf("##");
        String namespace = separator < 0 ? null : key.substring(0, separator);
        ParameterCheck.namespace(namespace);
        return grouped(Namespace.ofNullable(namespace), separator < 0 ? key : key.substring(separator + 2));
    }

    /** The instance in {@code ip}, {@code port} and {@code clusterName} or {@code cluster}. */
    public static InstanceKey instanceKey(HttpRequest request) {
        String cluster = cluster(request);
        String ip = IP.of(request);
        NamingCheck.ip(ip);
        int port = NamingCheck.port(PORT.of(request));
        return new InstanceKey(ip, port, cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster);
    }

    /** A key from other sources, checked like parameters. */
    public static InstanceKey checkedKey(String ip, int port, @Nullable String cluster) {
        NamingCheck.clusters(cluster);
        NamingCheck.ip(ip);
        NamingCheck.port(port);
        return new InstanceKey(ip, port, cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster);
    }

    /** The cluster in {@code clusterName} or {@code cluster}, or null. */
    public static @Nullable String cluster(HttpRequest request) {
        String cluster = CLUSTER_NAME.orNull(request);
        if (cluster == null) {
            cluster = CLUSTER.orNull(request);
        }
        NamingCheck.clusters(cluster);
        return cluster;
    }

    /**
     * The instance as published.
     *
     * @param ephemeralByDefault its kind by default
     */
    public static Instance instance(HttpRequest request, boolean ephemeralByDefault) {
        InstanceKey key = instanceKey(request);
        Boolean enabled = ENABLED.orNull(request);
        Instance instance = new Instance(
                key,
                WEIGHT_OR_ONE.of(request),
                HEALTHY.or(request, true),
                enabled != null ? enabled : ENABLE.of(request),
                EPHEMERAL.or(request, ephemeralByDefault),
                METADATA.or(request, Map.of()),
                null);
        NamingCheck.registration(instance);
        return instance;
    }

    /** The metadata that a change sets; null when the change leaves it as it is. */
    public static @Nullable Map<String, String> changedMetadata(HttpRequest request) {
        String text = CHANGED_METADATA.orNull(request);
        return text == null || text.trim().equals(JSON_NULL) ? null : metadata(text);
    }

    /**
     * Reads a JSON object or {@code k=v,k=v}. Empty for the absent values of clients: {@code None}, {@code null} (the official
     * maintainer client) and {@code []}.
     */
    public static Map<String, String> metadata(@Nullable String text) {
        if (text == null) {
            return Map.of();
        }
        String trimmed = text.trim();
        if (trimmed.isEmpty() || trimmed.equals(NONE) || trimmed.equals(JSON_NULL) || trimmed.equals("[]")) {
            return Map.of();
        }
        if (trimmed.startsWith("{")) {
            try {
                return JsonInput.read(trimmed, NamingParameters::texts);
            } catch (MalformedMessageException e) {
                throw badMetadata(text);
            }
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        for (String pair : trimmed.split(",")) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw badMetadata(text);
            }
            metadata.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return metadata;
    }

    private static Map<String, String> texts(JsonInput in) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String name = in.nextField(); name != null; name = in.nextField()) {
            String value = in.text();
            if (value != null) {
                texts.put(name, value);
            }
        }
        return texts;
    }

    private static NamingException badMetadata(String text) {
        return new NamingException(NamingException.Fault.METADATA_FORMAT, "metadata format incorrect:" + text);
    }

    /**
     * Reads {@code protectThreshold}, {@code metadata} and {@code selector}.
     *
     * @param before the former settings; clusters and kind stay
     */
    public static ServiceSettings settings(HttpRequest request, ServiceSettings before) {
        double threshold = PROTECT_THRESHOLD.of(request);
        return new ServiceSettings(
                before.ephemeral(),
                threshold,
                METADATA.or(request, Map.of()),
                selector(SELECTOR.orNull(request)),
                before.clusters());
    }

    private static LabelSelector selector(@Nullable String json) {
        if (json == null) {
            return LabelSelector.NONE;
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.read(json);
        } catch (CairnException e) {
            throw new NamingException(NamingException.Fault.SELECTOR, "Selector parses failed: " + e.text());
        }
        if (selector == null) {
            throw new NamingException(NamingException.Fault.SELECTOR, "not match any type of selector!");
        }
        return selector;
    }

    /**
     * The caller's view of a service.
     *
     * @param address the parameter with the address of the client, or null
     */
    public static ServiceView seenBy(HttpRequest request, @Nullable Parameter<String> address, ServiceView view) {
        if (!view.dependsOnConsumer()) {
            return view;
        }
        String ip = address == null ? null : address.orNull(request);
        return view.seenFrom(ip == null ? request.claimedIp() : ip);
    }
}
