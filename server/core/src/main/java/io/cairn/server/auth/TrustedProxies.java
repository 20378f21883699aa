package io.cairn.server.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of proxies whose forwarded addresses are trusted: for the audit log and for the login throttle, never
 * for a right. Immutable.
 */
public record TrustedProxies(Set<String> addresses) {

    public TrustedProxies {
        addresses = Set.copyOf(addresses);
    }

    /**
     * The last address on the request's path that is not a trusted proxy.
     *
     * @param forwardedFor the addresses that the proxies have added, the nearest one last
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
