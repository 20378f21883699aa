package io.cairn.server.xds;

import java.util.Locale;

/** The kinds of data planes, as far as they need different resources. */
public enum Flavour {
    ENVOY,
    GRPC,
    /** MOSN, and every client that is not known. */
    MOSN;

    /** @param userAgentName as the node names it */
    public static Flavour of(String userAgentName) {
        if (userAgentName.equals("envoy")) {
            return ENVOY;
        }
        return userAgentName.regionMatches(true, 0, "grpc", 0, 4) ? GRPC : MOSN;
    }

    /** Such as {@code envoy}. */
    public String shortName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
