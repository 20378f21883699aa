package io.cairn.server.xds.stream;

import io.cairn.api.config.Namespace;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.xds.resource.Flavour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mesh client by its own description.
 *
 * @param cluster may be empty
 * @param agent such as {@code envoy/1.40.0}
 * @param services the scope: names of services, with {@code *} at the end for any; null for all
 * @param tag of gray releases, or null
 * @param labels of gray releases: the locality, the cluster, and metadata with one text
 * @param accessToken may be empty. Never shown, never logged
 */
public record XdsNode(
        String id,
        String cluster,
        String agent,
        Flavour flavour,
        Namespace namespace,
        @Nullable List<String> services,
        @Nullable String tag,
        Map<String, String> labels,
        String accessToken) {

    private static final int ID = 1;
    private static final int CLUSTER = 2;
    private static final int METADATA = 3;
    private static final int LOCALITY = 4;
    private static final int AGENT_NAME = 6;
    private static final int MOST_LABELS = 64;
    private static final int MOST_LABEL_TEXT = 256;
    private static final int AGENT_VERSION = 7;
    private static final int AGENT_BUILD_VERSION = 8;

    /** As the rules of gray releases see it. */
    public GrayClient grayClient(String address) {
        return new GrayClient(address, tag, labels, id);
    }

    /**
     * Reads {@code envoy.config.core.v3.Node}.
     *
     * @throws XdsLimits.ExceededException for a too long kept text
     */
    public static XdsNode read(MessageInput in) {
        String id = "";
        String cluster = "";
        String agentName = "";
        String agentVersion = "";
        Metadata metadata = new Metadata();
        Map<String, String> labels = new HashMap<>();
        while (in.next()) {
            switch (in.field()) {
                case ID -> id = text(in, "node.id");
                case CLUSTER -> cluster = text(in, "node.cluster");
                case METADATA -> metadata.read(in.message());
                case LOCALITY -> readLocality(in.message(), labels);
                case AGENT_NAME -> agentName = text(in, "node.user_agent_name");
                case AGENT_VERSION -> agentVersion = text(in, "node.user_agent_version");
                case AGENT_BUILD_VERSION -> agentVersion = buildVersion(in.message());
                default -> {
                    // Unused.
                }
            }
        }
        metadata.labels.forEach(labels::putIfAbsent);
        labels.putIfAbsent("cluster", cluster);
        return new XdsNode(
                id,
                cluster,
                agentVersion.isEmpty() ? agentName : agentName + '/' + agentVersion,
                Flavour.of(agentName),
                Namespace.ofNullable(metadata.namespace),
                metadata.services,
                metadata.tag,
                Map.copyOf(labels),
                metadata.accessToken);
    }

    /** Reads {@code envoy.config.core.v3.Locality}. */
    private static void readLocality(MessageInput in, Map<String, String> labels) {
        while (in.next()) {
            switch (in.field()) {
                case 1 -> labels.put("region", text(in, "node.locality.region"));
                case 2 -> labels.put("zone", text(in, "node.locality.zone"));
                case 3 -> labels.put("sub_zone", text(in, "node.locality.sub_zone"));
                default -> {
                    // Unused.
                }
            }
        }
    }

    private static String text(MessageInput in, String of) {
        return in.text(XdsLimits.MAX_NODE_TEXT_BYTES, of);
    }

    /** Without its credential, which is useless after the check. */
    public XdsNode withoutToken() {
        return accessToken.isEmpty()
                ? this
                : new XdsNode(id, cluster, agent, flavour, namespace, services, tag, labels, "");
    }

    /** Reads {@code envoy.config.core.v3.BuildVersion}, whose first field is {@code envoy.type.v3.SemanticVersion}. */
    private static String buildVersion(MessageInput in) {
        long[] numbers = new long[3];
        while (in.next()) {
            if (in.field() == 1) {
                MessageInput version = in.message();
                while (version.next()) {
                    if (version.field() <= numbers.length) {
                        numbers[version.field() - 1] = version.number();
                    }
                }
            }
        }
        return numbers[0] + "." + numbers[1] + "." + numbers[2];
    }

    @Override
    public String toString() {
        return ClientText.shown(id) + " (" + ClientText.shown(agent) + ')';
    }

    /** The used keys of {@code google.protobuf.Struct}. */
    private static final class Metadata {

        private @Nullable String namespace;
        private @Nullable List<String> services;
        private @Nullable String tag;
        private String accessToken = "";
        private final Map<String, String> labels = new HashMap<>();

        void read(MessageInput struct) {
            while (struct.next()) {
                if (struct.field() == 1) {
                    readEntry(struct.message());
                }
            }
        }

        private void readEntry(MessageInput entry) {
            String key = "";
            List<String> values = List.of();
            while (entry.next()) {
                if (entry.field() == 1) {
                    key = entry.text();
                } else if (entry.field() == 2) {
                    values = texts(entry.message());
                }
            }
            String first = values.isEmpty() ? "" : values.get(0);
            switch (key) {
                case "namespace" -> namespace = bounded(first, "node.metadata.namespace");
                case "services" -> services = names(values);
                case "tag" -> tag = first.isEmpty() ? null : bounded(first, "node.metadata.tag");
                case "accessToken" -> accessToken = first;
                default -> {
                    if (values.size() == 1 && isLabel(key, first) && labels.size() < MOST_LABELS) {
                        labels.put(key, first);
                    }
                }
            }
        }

        /** Longer metadata is allowed, and no label. */
        private static boolean isLabel(String key, String value) {
            return !key.isEmpty() && key.length() <= MOST_LABEL_TEXT && value.length() <= MOST_LABEL_TEXT;
        }

        private static String bounded(String text, String of) {
            if (text.length() > XdsLimits.MAX_NODE_TEXT_BYTES) {
                throw new XdsLimits.ExceededException(
                        of + ": " + text.length() + " characters", XdsLimits.MAX_NODE_TEXT_BYTES);
            }
            return text;
        }

        /** A list, or a text with commas, as in an environment variable or command line. */
        private static List<String> names(List<String> values) {
            List<String> names = new ArrayList<>();
            for (String value : values) {
                int start = 0;
                while (start <= value.length()) {
                    int comma = value.indexOf(',', start);
                    int end = comma < 0 ? value.length() : comma;
                    String name = value.substring(start, end).strip();
                    if (!name.isEmpty()) {
                        mustHaveRoom(names.size());
                        names.add(bounded(name, "a name in node.metadata.services"));
                    }
                    start = end + 1;
                }
            }
            return List.copyOf(names);
        }

        private static void mustHaveRoom(int names) {
            if (names >= XdsLimits.MAX_SERVICES) {
                throw new XdsLimits.ExceededException(
                        "too many names in node.metadata.services", XdsLimits.MAX_SERVICES);
            }
        }

        private static List<String> texts(MessageInput value) {
            List<String> texts = new ArrayList<>(1);
            while (texts.size() <= XdsLimits.MAX_SERVICES && value.next()) {
                if (value.field() == 3) {
                    texts.add(value.text());
                } else if (value.field() == 6) {
                    MessageInput list = value.message();
                    // One more than allowed shows the excess.
                    while (texts.size() <= XdsLimits.MAX_SERVICES && list.next()) {
                        if (list.field() == 1) {
                            texts.addAll(flat(list.message()));
                        }
                    }
                }
            }
            return texts;
        }

        private static List<String> flat(MessageInput value) {
            List<String> texts = new ArrayList<>(1);
            while (texts.size() <= XdsLimits.MAX_SERVICES && value.next()) {
                if (value.field() == 3) {
                    texts.add(value.text());
                }
            }
            return texts;
        }
    }
}
