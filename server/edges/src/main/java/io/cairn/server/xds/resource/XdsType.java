package io.cairn.server.xds.resource;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The served types, in the order in which a change is sent: a resource precedes resources that name it. */
public enum XdsType {
    CDS("envoy.config.cluster.v3.Cluster"),
    EDS("envoy.config.endpoint.v3.ClusterLoadAssignment"),
    LDS("envoy.config.listener.v3.Listener"),
    RDS("envoy.config.route.v3.RouteConfiguration");

    public static final int COUNT = values().length;

    private static final Map<String, XdsType> BY_URL = new HashMap<>();

    static {
        for (XdsType type : values()) {
            BY_URL.put(type.typeUrl, type);
        }
    }

    private final String typeUrl;

    @SuppressWarnings("ImmutableEnumChecker") // Never modified
    private final byte[] encodedTypeUrl;

    private final String shortName;

    XdsType(String message) {
        this.typeUrl = "type.googleapis.com/" + message;
        this.encodedTypeUrl = typeUrl.getBytes(StandardCharsets.UTF_8);
        this.shortName = name().toLowerCase(Locale.ROOT);
    }

    /** Null for an unserved type. */
    public static @Nullable XdsType of(String typeUrl) {
        return BY_URL.get(typeUrl);
    }

    /** By a short name such as {@code cds}, or null. */
    public static @Nullable XdsType named(String shortName) {
        for (XdsType type : values()) {
            if (type.shortName.equals(shortName)) {
                return type;
            }
        }
        return null;
    }

    public String typeUrl() {
        return typeUrl;
    }

    /** UTF-8; must not be modified. */
    public byte[] encodedTypeUrl() {
        return encodedTypeUrl;
    }

    public String shortName() {
        return shortName;
    }

    /** The place of the type in arrays that have one element for each type. */
    @SuppressWarnings("EnumOrdinal") // in memory only, never stored
    public int index() {
        return ordinal();
    }

    /** Whether a SotW response has all resources of the type (CDS, LDS), not only changed ones (EDS, RDS). */
    public boolean isWholeInSotw() {
        return this == CDS || this == LDS;
    }
}
