package io.cairn.server.xds;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of the names that a stream subscribes to.
 *
 * @param key of the subscription from now on
 * @param added the names that the client asks for with this change; they are sent though they have not changed
 */
record SubscriptionChange(Subscription.Key key, Set<String> added) {

    /**
     * SotW: the request names all that is subscribed to. Null when that is the same as before.
     *
     * @param hasNamed whether the client has ever named something of the type
     */
    static @Nullable SubscriptionChange replaced(Subscription before, DiscoveryRequest request, boolean hasNamed) {
        // An empty list stands for all only as long as the client has never named anything.
        boolean all = request.names().isEmpty()
                ? before.isWildcard() && !hasNamed
                : request.names().contains(DiscoveryRequest.ANY_NAME);
        if (all == before.isWildcard() && request.hasNames(before.names())) {
            return null;
        }
        Set<String> now = request.distinctNames();
        Set<String> added = new HashSet<>(now);
        added.removeAll(before.names());
        return new SubscriptionChange(new Subscription.Key(before.type(), all, now), added);
    }

    /**
     * Delta: the request names what is added and what is dropped. Null when it names nothing.
     *
     * @throws XdsLimits.ExceededException when the subscription has more names than that now
     */
    static @Nullable SubscriptionChange changed(Subscription before, DiscoveryRequest request, int maxNames) {
        if (request.names().isEmpty() && request.dropped().isEmpty()) {
            return null;
        }
        Set<String> names = new HashSet<>(before.names());
        Set<String> added = request.distinctNames();
        names.addAll(added);
        request.dropped().forEach(names::remove);
        if (names.size() > maxNames) {
            throw new XdsLimits.ExceededException("too many names of resources in one subscription", maxNames);
        }
        boolean all = (before.isWildcard() || request.names().contains(DiscoveryRequest.ANY_NAME))
                && !request.dropped().contains(DiscoveryRequest.ANY_NAME);
        // A name that is asked for is sent, whether the client had it before or not.
        return new SubscriptionChange(new Subscription.Key(before.type(), all, names), added);
    }
}
