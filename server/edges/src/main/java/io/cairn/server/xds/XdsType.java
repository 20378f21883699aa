package io.cairn.server.xds;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The types of resources that are served, in the order in which a change is sent: a resource comes before those that name it. */
public enum XdsType {
    CDS("envoy.config.cluster.v3.Cluster"),
    EDS("envoy.config.endpoint.v3.ClusterLoadAssignment"),
    LDS("envoy.config.listener.v3.Listener"),
    RDS("envoy.config.route.v3.RouteConfiguration");

    /** How many there are. */
    static final int COUNT = values().length;

    private static final Map<String, XdsType> BY_URL = new HashMap<>();

    static {
        for (XdsType type : values()) {
            BY_URL.put(type.typeUrl, type);
        }
    }

    private final String typeUrl;

    @SuppressWarnings("ImmutableEnumChecker") // never written to
    private final byte[] encodedTypeUrl;

    private final String shortName;

    XdsType(String message) {
        this.typeUrl = "type.googleapis.com/" + message;
        this.encodedTypeUrl = typeUrl.getBytes(StandardCharsets.UTF_8);
        this.shortName = name().toLowerCase(Locale.ROOT);
    }

    /** The type of that URL; null when it is not served. */
    public static @Nullable XdsType of(String typeUrl) {
        return BY_URL.get(typeUrl);
    }

    /** The type of that short name, such as {@code cds}; null when there is none. */
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

    /** The type URL as UTF-8; not to be written to. */
    byte[] encodedTypeUrl() {
        return encodedTypeUrl;
    }

    /** Such as {@code cds}. */
    public String shortName() {
        return shortName;
    }

    /** The place of the type in arrays that have one element for each type. */
    @SuppressWarnings("EnumOrdinal") // in memory only, never stored
    int index() {
        return ordinal();
    }

    /** Whether a SotW response has all resources of the type (CDS, LDS), not only those that changed (EDS, RDS). */
    boolean isWholeInSotw() {
        return this == CDS || this == LDS;
    }
}
