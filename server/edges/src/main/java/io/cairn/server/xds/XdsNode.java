package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of the mesh edge as it describes itself. Immutable.
 *
 * @param cluster of the node; empty when it names none
 * @param agent name and version of its software, such as {@code envoy/1.40.0}
 * @param services the scope: names of services, with {@code *} at the end for any; null for all
 * @param tag by which gray rules choose it; null when it has none
 * @param accessToken its credential; empty when it has none. Never shown, never logged
 */
record XdsNode(
        String id,
        String cluster,
        String agent,
        Flavour flavour,
        Namespace namespace,
        @Nullable List<String> services,
        @Nullable String tag,
        String accessToken) {

    private static final int ID = 1;
    private static final int CLUSTER = 2;
    private static final int METADATA = 3;
    private static final int AGENT_NAME = 6;
    private static final int AGENT_VERSION = 7;
    private static final int AGENT_BUILD_VERSION = 8;

    /** Reads the message {@code envoy.config.core.v3.Node}. */
    static XdsNode read(MessageInput in) {
        String id = "";
        String cluster = "";
        String agentName = "";
        String agentVersion = "";
        Metadata metadata = new Metadata();
        while (in.next()) {
            switch (in.field()) {
                case ID -> id = in.text();
                case CLUSTER -> cluster = in.text();
                case METADATA -> metadata.read(in.message());
                case AGENT_NAME -> agentName = in.text();
                case AGENT_VERSION -> agentVersion = in.text();
                case AGENT_BUILD_VERSION -> agentVersion = buildVersion(in.message());
                default -> {
                    // Of no use here.
                }
            }
        }
        return new XdsNode(
                id,
                cluster,
                agentVersion.isEmpty() ? agentName : agentName + '/' + agentVersion,
                Flavour.of(agentName),
                Namespace.ofNullable(metadata.namespace),
                metadata.services,
                metadata.tag,
                metadata.accessToken);
    }

    /** The node without its credential, which is of no use once it was checked. */
    XdsNode withoutToken() {
        return accessToken.isEmpty() ? this : new XdsNode(id, cluster, agent, flavour, namespace, services, tag, "");
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
        return id + " (" + agent + ')';
    }

    /** The keys of {@code google.protobuf.Struct} that are of use here. */
    private static final class Metadata {

        private @Nullable String namespace;
        private @Nullable List<String> services;
        private @Nullable String tag;
        private String accessToken = "";

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
                case "namespace" -> namespace = first;
                case "services" -> services = names(values);
                case "tag" -> tag = first.isEmpty() ? null : first;
                case "accessToken" -> accessToken = first;
                default -> {
                    // Of no use here.
                }
            }
        }

        /** A list, or one text with commas, as an environment variable or a command line has it. */
        private static List<String> names(List<String> values) {
            List<String> names = new ArrayList<>();
            for (String value : values) {
                for (String name : value.split(",", -1)) {
                    if (!name.isBlank()) {
                        names.add(name.strip());
                    }
                }
            }
            return List.copyOf(names);
        }

        /** The texts of a {@code Value}: its own, or those of its list. */
        private static List<String> texts(MessageInput value) {
            List<String> texts = new ArrayList<>(1);
            while (value.next()) {
                if (value.field() == 3) {
                    texts.add(value.text());
                } else if (value.field() == 6) {
                    MessageInput list = value.message();
                    while (list.next()) {
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
            while (value.next()) {
                if (value.field() == 3) {
                    texts.add(value.text());
                }
            }
            return texts;
        }
    }
}
