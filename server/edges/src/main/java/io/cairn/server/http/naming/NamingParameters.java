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
import io.cairn.server.http.HttpCall;
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

    /** What old Python SDKs send for a value they do not have. */
    private static final String NONE = "None";

    private static final String JSON_NULL = "null";

    private NamingParameters() {}

    /** The parameter, or null when it is absent or blank. */
    public static @Nullable String text(HttpCall call, String name) {
        String value = call.parameter(name);
        return value == null || value.isBlank() ? null : value;
    }

    /** The parameter, or null when it is absent, blank or {@code None}. */
    public static @Nullable String given(HttpCall call, String name) {
        String value = text(call, name);
        return NONE.equals(value) ? null : value;
    }

    /** @throws ParameterException when it is absent or blank */
    public static String required(HttpCall call, String name) {
        String value = text(call, name);
        if (value == null) {
            throw ParameterException.missing(name);
        }
        return value;
    }

    /** The namespace, in {@code namespaceId}. */
    public static Namespace namespace(HttpCall call) {
        String id = call.parameter("namespaceId");
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    /** The group, in {@code groupName}. */
    public static String group(HttpCall call) {
        String group = given(call, "groupName");
        ParameterCheck.group(group);
        return group == null ? ServiceKey.DEFAULT_GROUP : group;
    }

    /** The service, in {@code serviceName} with or without its group before it, {@code groupName} and {@code namespaceId}. */
    public static ServiceKey service(HttpCall call) {
        Namespace namespace = namespace(call);
        return service(namespace, required(call, "serviceName"), call);
    }

    private static ServiceKey service(Namespace namespace, String spelled, HttpCall call) {
        int separator = spelled.indexOf(NamingWire.SEPARATOR);
        if (separator < 0) {
            NamingCheck.serviceName(spelled);
            return new ServiceKey(namespace, group(call), spelled);
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
    public static InstanceKey instanceKey(HttpCall call) {
        String cluster = cluster(call);
        String ip = required(call, "ip");
        NamingCheck.ip(ip);
        int port = NamingCheck.port(required(call, "port"));
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
    public static @Nullable String cluster(HttpCall call) {
        String cluster = given(call, "clusterName");
        if (cluster == null) {
            cluster = given(call, "cluster");
        }
        NamingCheck.clusters(cluster);
        return cluster;
    }

    /**
     * The instance as its publisher describes it.
     *
     * @param ephemeralByDefault its kind when it names none
     */
    public static Instance instance(HttpCall call, boolean ephemeralByDefault) {
        InstanceKey key = instanceKey(call);
        Boolean enabled = flag(call, "enabled");
        Instance instance = new Instance(
                key,
                weight(call, 1.0),
                flag(call, "healthy", true),
                enabled != null ? enabled : flag(call, "enable", true),
                flag(call, "ephemeral", ephemeralByDefault),
                metadata(call),
                null);
        NamingCheck.registration(instance);
        return instance;
    }

    /** The weight, checked. */
    public static double weight(HttpCall call, double ifAbsent) {
        Double weight = weight(call);
        return weight == null ? ifAbsent : weight;
    }

    /** The weight, checked; null when there is none. */
    public static @Nullable Double weight(HttpCall call) {
        Double weight = decimal(call, "weight");
        if (weight != null) {
            NamingCheck.weight(weight);
        }
        return weight;
    }

    /** A number with a fraction; null when there is none. */
    public static @Nullable Double decimal(HttpCall call, String name) {
        String text = given(call, name);
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
    public static int number(HttpCall call, String name, int ifAbsent) {
        String text = given(call, name);
        return text == null ? ifAbsent : number(name, text);
    }

    /** By what a list is narrowed; null when it is not, which some clients spell out. */
    public static @Nullable String filter(HttpCall call, String name) {
        String text = given(call, name);
        return "null".equals(text) ? null : text;
    }

    /** As {@link #filter}, a whole number. */
    public static @Nullable Integer numberFilter(HttpCall call, String name) {
        String text = filter(call, name);
        return text == null ? null : number(name, text);
    }

    /** A whole number that must be there. */
    public static int requiredNumber(HttpCall call, String name) {
        return number(name, required(call, name));
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }

    public static boolean flag(HttpCall call, String name, boolean ifAbsent) {
        Boolean flag = flag(call, name);
        return flag == null ? ifAbsent : flag;
    }

    /** Whether the parameter says yes in one of the ways there are; everything else is no. Null when it is absent. */
    public static @Nullable Boolean flag(HttpCall call, String name) {
        String text = given(call, name);
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
    public static Map<String, String> metadata(HttpCall call) {
        return metadata(call.parameter("metadata"));
    }

    /** The metadata that a change sets; null when the change leaves it as it is. */
    public static @Nullable Map<String, String> changedMetadata(HttpCall call) {
        String text = given(call, "metadata");
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
     * What an operator sets for a service, in {@code protectThreshold}, {@code metadata} and {@code selector}.
     *
     * @param before what was set before; its clusters and its kind stay
     */
    public static ServiceSettings settings(HttpCall call, ServiceSettings before) {
        Double threshold = decimal(call, "protectThreshold");
        if (threshold != null && !(threshold >= 0 && threshold <= 1)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "protectThreshold: " + threshold + " (expected: 0-1)");
        }
        return new ServiceSettings(
                before.ephemeral(),
                threshold == null ? 0 : threshold,
                metadata(call.parameter("metadata")),
                selector(given(call, "selector")),
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
     * What the caller gets of a service.
     *
     * @param ipParameter by which some clients say at which address they are; null where there is none
     */
    public static ServiceView seenBy(HttpCall call, @Nullable String ipParameter, ServiceView view) {
        if (!view.dependsOnConsumer()) {
            return view;
        }
        String ip = ipParameter == null ? null : given(call, ipParameter);
        return view.seenFrom(ip == null ? call.claimedIp() : ip);
    }

    /** The page that is asked for; the first one of that size when none is. */
    public static Page page(HttpCall call, int sizeIfAbsent) {
        return new Page(number(call, "pageNo", 1), number(call, "pageSize", sizeIfAbsent));
    }

    /** As {@link #page}; version 3 refuses numbers below 1, in words of its own. */
    public static Page positivePage(HttpCall call, int sizeIfAbsent) {
        PageRequest.positive("pageNo", number(call, "pageNo", 1));
        PageRequest.positive("pageSize", number(call, "pageSize", sizeIfAbsent));
        return page(call, sizeIfAbsent);
    }

    /** The page that is asked for; it must be. */
    public static Page requiredPage(HttpCall call) {
        return new Page(requiredNumber(call, "pageNo"), requiredNumber(call, "pageSize"));
    }
}
