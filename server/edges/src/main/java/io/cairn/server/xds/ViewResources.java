package io.cairn.server.xds;

import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes the resources of one view from what is registered and stored. Used on the thread of the mesh only. */
interface ViewResources {

    /**
     * A resource of the view.
     *
     * @param listed whether those get it who subscribe to all resources of the type
     * @param endpoints of a cluster: the names of the endpoints that it waits for; else empty
     * @param stored whether it was made of a stored configuration
     * @param leftOut how many instances endpoints lack because their address is a host name
     */
    record Found(Resource resource, boolean listed, Set<String> endpoints, boolean stored, int leftOut) {

        Found(Resource resource, boolean listed, Set<String> endpoints, boolean stored) {
            this(resource, listed, endpoints, stored, 0);
        }
    }

    /** The resource of that name as it is now; null when there is none. */
    @Nullable
    Found find(XdsType type, String name);

    /** The names that may have a {@linkplain Found#listed listed} resource of the type now. */
    Collection<String> listed(XdsType type);

    /** The name of the service's own resources; null when the view never has them. */
    @Nullable
    String nameOf(ServiceKey service);

    /** The service that a name is about; null when no service has that name. */
    @Nullable
    ServiceKey serviceOf(String name);

    /**
     * Whether the user of the view may read a resource that some view has: its configuration where it is stored, else the service.
     */
    boolean mayRead(Found found);

    /** Whether a stored route or listener names that cluster now. */
    boolean isRoutedTo(String cluster);

    /** Takes over what is stored now, and returns the difference to before. */
    StoredChange takeStored();

    /**
     * A change of the stored resources.
     *
     * @param names that may have another resource now, by type
     * @param unrouted the clusters that routes and listeners named until now
     */
    record StoredChange(Map<XdsType, Set<String>> names, Set<String> unrouted) {

        static final StoredChange NONE = new StoredChange(Map.of(), Set.of());
    }
}
