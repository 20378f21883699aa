package io.cairn.server.xds;

import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
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
     */
    record Found(Resource resource, boolean listed, Set<String> endpoints, boolean stored) {}

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

    /** Whether a stored route or listener names that cluster now. */
    boolean isRoutedTo(String cluster);
}
