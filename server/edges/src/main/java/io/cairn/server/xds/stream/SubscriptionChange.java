package io.cairn.server.xds.stream;

import io.cairn.server.xds.view.Subscription;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of a stream's names.
 *
 * @param key the new subscription
 * @param added requested names, sent even if unchanged
 */
record SubscriptionChange(Subscription.Key key, Set<String> added) {

    /**
     * SotW: the request has all names. Null without a change.
     *
     * @param hasNamed whether the client has ever named a resource of the type
     */
    static @Nullable SubscriptionChange replaced(Subscription before, DiscoveryRequest request, boolean hasNamed) {
        // An empty list is a wildcard only until the client names a resource.
        boolean all = request.names().isEmpty()
                ? before.isWildcard() && !hasNamed
                : request.names().contains(DiscoveryRequest.ANY_NAME);
        if (all == before.isWildcard() && request.hasNames(before.names())) {
            return null;
        }
        Set<String> now = request.distinctNames();
        Set<String> added = new HashSet<>(now);
        added.removeAll(before.names());
        return new SubscriptionChange(key(before, all, now), added);
    }

    /**
     * Delta: the request has added and dropped names. Null without names.
     *
     * @throws XdsLimits.ExceededException for more names than permitted
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
        // A requested name is sent, even if the client had it.
        return new SubscriptionChange(key(before, all, names), added);
    }

    private static Subscription.Key key(Subscription before, boolean all, Set<String> names) {
        return new Subscription.Key(before.type(), all, names, all ? before.kept() : Set.of());
    }
}
