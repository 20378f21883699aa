package io.cairn.server.wiring.settings;

import io.cairn.server.mesh.EnvoyResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The mesh edge: xDS for Envoy, MOSN and gRPC libraries.
 *
 * @param enabled whether the gRPC port serves it
 * @param group of the configurations that are resources; may be empty
 * @param maxClusters of a client that requests all
 * @param maxViews kinds of clients at a time
 * @param localityKeys metadata keys of region and zone
 * @param descriptors file with descriptors of Envoy's API, relative to the home folder; empty for the built-in ones
 * @param unknownFields treatment of fields without descriptors
 */
@ConfigurationProperties("cairn.xds")
public record XdsProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("CAIRN_XDS") String group,
        @DefaultValue("2000") int maxClusters,
        @DefaultValue("2000") int maxViews,
        @DefaultValue({"region", "zone"}) List<String> localityKeys,
        @DefaultValue("") String descriptors,
        @DefaultValue("refuse") EnvoyResources.UnknownFields unknownFields) {

    public XdsProperties {
        CairnProperties.inRange("xds.max-clusters", maxClusters, 1, 1_000_000);
        CairnProperties.inRange("xds.max-views", maxViews, 1, 1_000_000);
        if (localityKeys.size() != 2) {
            throw CairnProperties.bad("xds.locality-keys", localityKeys, "two keys, of the region and of the zone");
        }
    }

    /**
     * Null for the built-in descriptors.
     *
     * @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} for a missing file
     */
    public @Nullable Path descriptorsFile(Path home) {
        if (descriptors.isBlank()) {
            return null;
        }
        Path file = home.resolve(descriptors.trim()).normalize();
        if (!Files.isReadable(file)) {
            throw CairnProperties.bad("xds.descriptors", file, "a file that the server can read");
        }
        return file;
    }
}
