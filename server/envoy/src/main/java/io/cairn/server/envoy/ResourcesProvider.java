package io.cairn.server.envoy;

import io.cairn.server.mesh.EnvoyResources;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes the reader of resources, as a service of the server. */
public final class ResourcesProvider implements EnvoyResources.Provider {

    @Override
    public EnvoyResources create(@Nullable Path descriptors, EnvoyResources.UnknownFields unknownFields) {
        return new ResourcesOnDemand(descriptors, unknownFields);
    }
}
