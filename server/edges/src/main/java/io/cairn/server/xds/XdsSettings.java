package io.cairn.server.xds;

import java.util.List;

/**
 * How the mesh edge is served.
 *
 * @param maxClusters that a client may get which subscribes to all
 * @param maxViews kinds of clients at a time
 * @param localityKeys the keys of instance metadata for region and zone
 */
public record XdsSettings(int maxClusters, int maxViews, List<String> localityKeys) {}
