package io.cairn.server.xds;

import io.cairn.server.limit.Limit;
import java.util.List;

/**
 * @param clusters the limit of wildcard clients; the mesh edge measures it
 * @param maxViews kinds of clients at a time
 * @param identifier of this server, for proxies
 * @param localityKeys metadata keys of region and zone
 */
public record XdsSettings(Limit clusters, int maxViews, String identifier, List<String> localityKeys) {

    public int maxClusters() {
        return (int) clusters.max();
    }
}
