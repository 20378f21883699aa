package io.cairn.server.mesh;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The name of a stored resource as its dataId has it: {@code listener.<name>}, {@code route.<name>} or {@code cluster.<name>}. */
public record StoredName(Kind kind, String name) {

    public enum Kind {
        LISTENER("listener.", "envoy.config.listener.v3.Listener"),
        ROUTE("route.", "envoy.config.route.v3.RouteConfiguration"),
        CLUSTER("cluster.", "envoy.config.cluster.v3.Cluster");

        private final String prefix;
        private final String messageName;

        Kind(String prefix, String messageName) {
            this.prefix = prefix;
            this.messageName = messageName;
        }

        /** Of its protobuf message. */
        public String messageName() {
            return messageName;
        }

        public String typeUrl() {
            return "type.googleapis.com/" + messageName;
        }
    }

    private static final String ENDPOINTS = "endpoints.";
    private static final String SECRET = "secret.";

    /** Empty for the dataId of an ordinary configuration. */
    public static Optional<StoredName> of(String dataId) {
        for (Kind kind : Kind.values()) {
            if (dataId.startsWith(kind.prefix) && dataId.length() > kind.prefix.length()) {
                return Optional.of(new StoredName(kind, dataId.substring(kind.prefix.length())));
            }
        }
        return Optional.empty();
    }

    /** Why a configuration of that dataId must not be stored, or null. */
    public static @Nullable String refusal(String dataId) {
        if (dataId.startsWith(SECRET)) {
            return "secrets are not stored here, because a private key must not lie in a plain configuration"
                    + " (expected: certificates as files on the proxy's machine, by filename and watched_directory)";
        }
        if (dataId.startsWith(ENDPOINTS)) {
            return "endpoints are not stored here, they come from the registered instances"
                    + " (expected: listener.<name>, route.<name> or cluster.<name>)";
        }
        for (Kind kind : Kind.values()) {
            if (dataId.equals(kind.prefix)) {
                return "the dataId '" + dataId + "' has no name (expected: " + kind.prefix + "<name>)";
            }
        }
        return null;
    }

    public String dataId() {
        return kind.prefix + name;
    }
}
