package io.cairn.server.xds.resource;

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
 * The kind of a node: nodes with equal keys share a view.
 *
 * @param scope names of services, with {@code *} at the end for any; null for all
 * @param labels of the node's address, for selectors
 * @param services readable for the node's user
 * @param configurations readable for the node's user
 * @param reader selects stored resources
 */
public record ViewKey(
        Namespace namespace,
        @Nullable List<String> scope,
        Flavour flavour,
        Map<String, String> labels,
        ReadScope services,
        ReadScope configurations,
        StoredResources.Reader reader) {

    public static ViewKey of(Namespace namespace, Flavour flavour, Principal user) {
        return new ViewKey(
                namespace,
                null,
                flavour,
                Map.of(),
                user.readable(namespace, ResourceType.NAMING),
                user.readable(namespace, ResourceType.CONFIG),
                StoredResources.Reader.any(namespace));
    }

    /** Whether wildcard subscriptions include the service's cluster. */
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
