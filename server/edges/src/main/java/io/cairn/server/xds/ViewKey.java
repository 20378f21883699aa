package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.mesh.StoredResources;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a node, which decides what it gets: nodes with equal keys share one view.
 *
 * @param scope names of services, with {@code *} at the end for any; null for all
 * @param labels of the address of the node, which services with a selector go by
 * @param services that the node's user may read
 * @param configurations that the node's user may read
 * @param reader by which the node gets stored resources
 */
record ViewKey(
        Namespace namespace,
        @Nullable List<String> scope,
        Flavour flavour,
        Map<String, String> labels,
        ReadScope services,
        ReadScope configurations,
        StoredResources.Reader reader) {

    /** A node without a scope, for that user. */
    static ViewKey of(Namespace namespace, Flavour flavour, Principal user) {
        return new ViewKey(
                namespace,
                null,
                flavour,
                Map.of(),
                user.readable(namespace, ResourceType.NAMING),
                user.readable(namespace, ResourceType.CONFIG),
                StoredResources.Reader.any(namespace));
    }

    /** Whether all subscriptions of clusters get that of the service. */
    boolean isInScope(ServiceKey service) {
        if (scope == null) {
            return true;
        }
        String grouped = ResourceName.of(service).toString();
        for (String pattern : scope) {
            if (pattern.endsWith("*")
                    ? grouped.startsWith(pattern.substring(0, pattern.length() - 1))
                    : grouped.equals(pattern)) {
                return true;
            }
        }
        return false;
    }
}
