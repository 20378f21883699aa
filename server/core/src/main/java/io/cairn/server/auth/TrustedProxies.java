package io.cairn.server.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Proxies whose forwarded addresses are trusted: for audit and login throttle, never for a right. */
public record TrustedProxies(Set<String> addresses) {

    public TrustedProxies {
        addresses = Set.copyOf(addresses);
    }

    /**
     * The last address on the path that is no trusted proxy.
     *
     * @param forwardedFor added by proxies, the nearest one last
     */
    public String addressOf(String socketAddress, @Nullable String forwardedFor) {
        if (forwardedFor == null || addresses.isEmpty() || !addresses.contains(socketAddress)) {
            return socketAddress;
        }
        String[] hops = forwardedFor.split(",");
        for (int i = hops.length - 1; i >= 0; i--) {
            String hop = hops[i].trim();
            if (!hop.isEmpty() && !addresses.contains(hop)) {
                return hop;
            }
        }
        return socketAddress;
    }
}
