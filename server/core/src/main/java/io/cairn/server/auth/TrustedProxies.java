package io.cairn.server.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of proxies whose word counts for where a request came from: for the record and for slowing down guesses,
 * never for a right. Immutable.
 */
public record TrustedProxies(Set<String> addresses) {

    public TrustedProxies {
        addresses = Set.copyOf(addresses);
    }

    /**
     * The last address on the way here that no trusted proxy has.
     *
     * @param forwardedFor what the proxies say, the nearest one last
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
