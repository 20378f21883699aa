package io.cairn.server.xds.resource;

import java.util.Locale;

/** The kinds of data planes with different resources. */
public enum Flavour {
    ENVOY,
    GRPC,
    /** MOSN, and every unknown client. */
    MOSN;

    /** @param userAgentName in the node */
    public static Flavour of(String userAgentName) {
        if (userAgentName.equals("envoy")) {
            return ENVOY;
        }
        return userAgentName.regionMatches(true, 0, "grpc", 0, 4) ? GRPC : MOSN;
    }

    public String shortName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
