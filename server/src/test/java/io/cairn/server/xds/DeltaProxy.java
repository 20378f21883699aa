package io.cairn.server.xds;

import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An Envoy that subscribes to all clusters and to the endpoints of each, over the delta protocol. It acknowledges all that it gets, and
 * connects again with the versions that it has. Used by one thread.
 */
public final class DeltaProxy implements AutoCloseable {

    private final String id;
    private final SortedMap<String, String> clusters = new TreeMap<>();
    private final SortedMap<String, String> endpoints = new TreeMap<>();
    private final Map<XdsType, Integer> messages = new EnumMap<>(XdsType.class);
    private final List<String> removed = new ArrayList<>();
    private final List<String> repeated = new ArrayList<>();
    private final Set<String> subscribed = new HashSet<>();
    private AdsClient wire;

    public DeltaProxy(String id) {
        this.id = id;
    }

    /** Opens a stream, with the versions that the proxy has from the streams before. */
    public void connect(int grpcPort) {
        close();
        messages.clear();
        wire = AdsClient.open(grpcPort, true, Map.of(), Frames.node(id, "envoy", Map.of()));
        wire.subscribe(XdsType.CDS, clusters, Set.of());
        if (!subscribed.isEmpty()) {
            wire.subscribe(XdsType.EDS, endpoints, subscribed);
        }
    }

    /** Takes the messages that have come. */
    public void advance() {
        for (Frames.Response next = wire.poll(); next != null; next = wire.poll()) {
            take(next);
        }
    }

    private void take(Frames.Response response) {
        XdsType type = XdsType.named(response.type());
        messages.merge(type, 1, Integer::sum);
        SortedMap<String, String> held = type == XdsType.CDS ? clusters : endpoints;
        response.resources().forEach((name, version) -> {
            if (version.equals(held.put(name, version))) {
                repeated.add(type.shortName() + ' ' + name);
            }
        });
        for (String name : response.removed()) {
            held.remove(name);
            removed.add(type.shortName() + ' ' + name);
        }
        wire.ackDelta(response);
        if (type == XdsType.CDS) {
            followClusters();
        }
    }

    private void followClusters() {
        Set<String> added = new HashSet<>(clusters.keySet());
        added.removeAll(subscribed);
        if (!added.isEmpty()) {
            subscribed.addAll(added);
            wire.subscribe(XdsType.EDS, Map.of(), added);
        }
        Set<String> dropped = new HashSet<>(subscribed);
        dropped.removeAll(clusters.keySet());
        if (!dropped.isEmpty()) {
            subscribed.removeAll(dropped);
            dropped.forEach(endpoints::remove);
            wire.unsubscribe(XdsType.EDS, dropped);
        }
    }

    /** Whether this stream has answered for clusters and for endpoints, and the proxy has the endpoints of each cluster. */
    public boolean isAnswered() {
        return messages.containsKey(XdsType.CDS)
                && messages.containsKey(XdsType.EDS)
                && endpoints.keySet().equals(clusters.keySet());
    }

    /** Whether the server has ended the stream, or is gone. */
    public boolean hasLostServer() {
        return wire.end.isDone();
    }

    /** The number of messages on this stream. */
    public int messages() {
        return messages.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The versions that the proxy has, by cluster. */
    public SortedMap<String, String> clusters() {
        return new TreeMap<>(clusters);
    }

    /** The versions of the endpoints that the proxy has, by cluster. */
    public SortedMap<String, String> endpoints() {
        return new TreeMap<>(endpoints);
    }

    /** The resources that were removed, on all streams, such as {@code eds orders}. */
    public List<String> removed() {
        return List.copyOf(removed);
    }

    /** The resources that were sent though the proxy had this version, on all streams, such as {@code eds orders}. */
    public List<String> repeated() {
        return List.copyOf(repeated);
    }

    @Override
    public void close() {
        if (wire != null) {
            wire.close();
        }
    }
}
