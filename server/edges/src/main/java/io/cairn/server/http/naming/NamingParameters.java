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
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameters;
import io.cairn.server.naming.NamingCheck;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.naming.label.LabelSelector;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads services and instances out of queries and forms, and checks them. Whatever is wrong is a {@link CairnException}:
 * {@link ParameterException} for what is missing or refused by the check of names, {@link NamingException} for what the
 * versions have codes for.
 */
public final class NamingParameters {

    /** The value that old Python SDKs send for an absent one. */
    private static final String NONE = "None";

    private static final String JSON_NULL = "null";

    private NamingParameters() {}

    /** The parameter, or null when it is absent or blank. */
    public static @Nullable String text(HttpRequest request, String name) {
        return Parameters.text(request, name);
    }

    /** The parameter, or null when it is absent, blank or {@code None}. */
    public static @Nullable String given(HttpRequest request, String name) {
        String value = text(request, name);
        return NONE.equals(value) ? null : value;
    }

    /** @throws ParameterException when it is absent or blank */
    public static String required(HttpRequest request, String name) {
        return Parameters.required(request, name);
    }

    /** The namespace, in {@code namespaceId}. */
    public static Namespace namespace(HttpRequest request) {
        String id = request.parameter("namespaceId");
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    /** The group, in {@code groupName}. */
    public static String group(HttpRequest request) {
        String group = given(request, "groupName");
        ParameterCheck.group(group);
        return group == null ? ServiceKey.DEFAULT_GROUP : group;
    }

    /** The service, in {@code serviceName} with or without its group before it, {@code groupName} and {@code namespaceId}. */
    public static ServiceKey service(HttpRequest request) {
        Namespace namespace = namespace(request);
        return service(namespace, required(request, "serviceName"), request);
    }

    private static ServiceKey service(Namespace namespace, String spelled, HttpRequest request) {
        int separator = spelled.indexOf(NamingWire.SEPARATOR);
        if (separator < 0) {
            NamingCheck.serviceName(spelled);
            return new ServiceKey(namespace, group(request), spelled);
        }
        return grouped(namespace, spelled, separator);
    }

    /** The service of that name, which must have its group before it. */
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

    /** A part of a path, as it was before it was percent-encoded. */
    public static String decoded(String path) {
        try {
            // In a path, a plus sign is one.
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "path: '" + path + "' (expected: properly percent-encoded)", e);
        }
    }

    /** The service that the status endpoints are asked for: {@code group@@name}, or that after a namespace and {@code ##}. */
    public static ServiceKey statusKey(String key) {
        int separator = key.indexOf("##");
        String namespace = separator < 0 ? null : key.substring(0, separator);
        ParameterCheck.namespace(namespace);
        return grouped(Namespace.ofNullable(namespace), separator < 0 ? key : key.substring(separator + 2));
    }

    /** The instance that is meant, in {@code ip}, {@code port} and {@code clusterName} or {@code cluster}. */
    public static InstanceKey instanceKey(HttpRequest request) {
        String cluster = cluster(request);
        String ip = required(request, "ip");
        NamingCheck.ip(ip);
        int port = NamingCheck.port(required(request, "port"));
        return new InstanceKey(ip, port, cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster);
    }

    /** A key of parts that come by other ways than parameters, checked like those. */
    public static InstanceKey checkedKey(String ip, int port, @Nullable String cluster) {
        NamingCheck.clusters(cluster);
        NamingCheck.ip(ip);
        NamingCheck.port(port);
        return new InstanceKey(ip, port, cluster == null ? InstanceKey.DEFAULT_CLUSTER : cluster);
    }

    /** The cluster, in {@code clusterName} or {@code cluster}; null when none is named. */
    public static @Nullable String cluster(HttpRequest request) {
        String cluster = given(request, "clusterName");
        if (cluster == null) {
            cluster = given(request, "cluster");
        }
        NamingCheck.clusters(cluster);
        return cluster;
    }

    /**
     * The instance as its publisher describes it.
     *
     * @param ephemeralByDefault its kind when it names none
     */
    public static Instance instance(HttpRequest request, boolean ephemeralByDefault) {
        InstanceKey key = instanceKey(request);
        Boolean enabled = flag(request, "enabled");
        Instance instance = new Instance(
                key,
                weight(request, 1.0),
                flag(request, "healthy", true),
                enabled != null ? enabled : flag(request, "enable", true),
                flag(request, "ephemeral", ephemeralByDefault),
                metadata(request),
                null);
        NamingCheck.registration(instance);
        return instance;
    }

    /** The weight, checked. */
    public static double weight(HttpRequest request, double ifAbsent) {
        Double weight = weight(request);
        return weight == null ? ifAbsent : weight;
    }

    /** The weight, checked; null when there is none. */
    public static @Nullable Double weight(HttpRequest request) {
        Double weight = decimal(request, "weight");
        if (weight != null) {
            NamingCheck.weight(weight);
        }
        return weight;
    }

    /** A number with a fraction; null when there is none. */
    public static @Nullable Double decimal(HttpRequest request, String name) {
        String text = given(request, name);
        if (text == null) {
            return null;
        }
        try {
            return Double.valueOf(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }

    /** A whole number. */
    public static int number(HttpRequest request, String name, int ifAbsent) {
        String text = given(request, name);
        return text == null ? ifAbsent : Parameters.number(name, text);
    }

    /** By what a list is narrowed; null when it is not, which some clients spell out. */
    public static @Nullable String filter(HttpRequest request, String name) {
        String text = given(request, name);
        return "null".equals(text) ? null : text;
    }

    /** As {@link #filter}, a whole number. */
    public static @Nullable Integer numberFilter(HttpRequest request, String name) {
        String text = filter(request, name);
        return text == null ? null : Parameters.number(name, text);
    }

    /** A whole number that must be there. */
    public static int requiredNumber(HttpRequest request, String name) {
        return Parameters.requiredNumber(request, name);
    }

    public static boolean flag(HttpRequest request, String name, boolean ifAbsent) {
        Boolean flag = flag(request, name);
        return flag == null ? ifAbsent : flag;
    }

    /** Whether the parameter says yes in one of the ways there are; everything else is no. Null when it is absent. */
    public static @Nullable Boolean flag(HttpRequest request, String name) {
        String text = given(request, name);
        return text == null ? null : flag(text);
    }

    /** Whether a text says yes. */
    public static boolean flag(String text) {
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "y", "t" -> true;
            default -> false;
        };
    }

    /** The metadata of an instance, in {@code metadata}, however long; empty when there is none. */
    public static Map<String, String> metadata(HttpRequest request) {
        return metadata(request.parameter("metadata"));
    }

    /** The metadata that a change sets; null when the change leaves it as it is. */
    public static @Nullable Map<String, String> changedMetadata(HttpRequest request) {
        String text = given(request, "metadata");
        return text == null || text.trim().equals(JSON_NULL) ? null : metadata(text);
    }

    /**
     * Reads metadata in either spelling: a JSON object or {@code k=v,k=v}. Empty for what clients send where they have none:
     * {@code None}, {@code null} (the official maintainer client) and {@code []}.
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
     * Reads the settings of a service, in {@code protectThreshold}, {@code metadata} and {@code selector}.
     *
     * @param before what was set before; its clusters and its kind stay
     */
    public static ServiceSettings settings(HttpRequest request, ServiceSettings before) {
        Double threshold = decimal(request, "protectThreshold");
        if (threshold != null && !(threshold >= 0 && threshold <= 1)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "protectThreshold: " + threshold + " (expected: 0-1)");
        }
        return new ServiceSettings(
                before.ephemeral(),
                threshold == null ? 0 : threshold,
                metadata(request.parameter("metadata")),
                selector(given(request, "selector")),
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
     * The part of a service that the caller gets.
     *
     * @param ipParameter by which some clients say at which address they are; null where there is none
     */
    public static ServiceView seenBy(HttpRequest request, @Nullable String ipParameter, ServiceView view) {
        if (!view.dependsOnConsumer()) {
            return view;
        }
        String ip = ipParameter == null ? null : given(request, ipParameter);
        return view.seenFrom(ip == null ? request.claimedIp() : ip);
    }

    /** The page that is asked for; the first one of that size when none is. */
    public static Page page(HttpRequest request, int sizeIfAbsent) {
        return new Page(number(request, "pageNo", 1), number(request, "pageSize", sizeIfAbsent));
    }

    /** As {@link #page}; version 3 refuses numbers below 1, in words of its own. */
    public static Page positivePage(HttpRequest request, int sizeIfAbsent) {
        PageRequest.positive("pageNo", number(request, "pageNo", 1));
        PageRequest.positive("pageSize", number(request, "pageSize", sizeIfAbsent));
        return page(request, sizeIfAbsent);
    }

    /** The page that is asked for; it must be. */
    public static Page requiredPage(HttpRequest request) {
        return new Page(requiredNumber(request, "pageNo"), requiredNumber(request, "pageSize"));
    }
}
