package io.cairn.server.xds.resource;

import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes one view's resources. For the mesh thread. */
public interface ViewResources {

    /**
     * @param listed whether it is part of the wildcard subscription
     * @param endpoints awaited by a cluster; else empty
     * @param stored whether it is a stored configuration
     * @param leftOut instances left out for a host name
     */
    record Found(Resource resource, boolean listed, Set<String> endpoints, boolean stored, int leftOut) {

        public Found(Resource resource, boolean listed, Set<String> endpoints, boolean stored) {
            this(resource, listed, endpoints, stored, 0);
        }
    }

    /** Null if absent. */
    @Nullable
    Found find(XdsType type, String name);

    /** The possible {@linkplain Found#listed listed} names. */
    Collection<String> listed(XdsType type);

    /** The name of the service's resources; null when the view never has them. */
    @Nullable
    String nameOf(ServiceKey service);

    /** Null without such a service. */
    @Nullable
    ServiceKey serviceOf(String name);

    /** Whether the view's user may read the resource: its configuration if stored, else its service. */
    boolean mayRead(Found found);

    /** Whether a stored route or listener names the cluster. */
    boolean isRoutedTo(String cluster);

    /** Adopts the stored resources, and returns the difference. */
    StoredChange takeStored();

    /**
     * @param names possibly changed, by type
     * @param unrouted clusters that routes and listeners no longer name
     */
    record StoredChange(Map<XdsType, Set<String>> names, Set<String> unrouted) {

        public static final StoredChange NONE = new StoredChange(Map.of(), Set.of());
    }
}
