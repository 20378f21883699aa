package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.load.ClusterLoad;
import io.cairn.server.xds.DeltaProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** A proxy of the mesh at each node of a cluster whose services do not change. */
final class MeshOfNodes implements AutoCloseable {

    private static final int GRPC_OFFSET = 1_000;

    private final ClusterOfProcesses cluster;
    private final List<DeltaProxy> proxies = new ArrayList<>();

    /** Returns when all proxies have the same versions of all clusters and of their endpoints. */
    MeshOfNodes(ClusterOfProcesses cluster) {
        this.cluster = cluster;
        for (int node = 0; node < cluster.size(); node++) {
            DeltaProxy proxy = new DeltaProxy("proxy-" + node);
            proxies.add(proxy);
            proxy.connect(grpcPort(node));
        }
        await().untilAsserted(() -> {
            advance();
            assertThat(proxies).allMatch(DeltaProxy::isAnswered);
            assertSame(proxies.get(0).clusters(), proxies.get(0).endpoints());
        });
        assertThat(proxies.get(0).clusters()).containsKey(ClusterLoad.SERVICE);
    }

    private int grpcPort(int node) {
        return cluster.httpPort(node) + GRPC_OFFSET;
    }

    private void advance() {
        proxies.forEach(DeltaProxy::advance);
    }

    private void assertSame(SortedMap<String, String> clusters, SortedMap<String, String> endpoints) {
        assertThat(proxies).allSatisfy(proxy -> {
            assertThat(proxy.clusters()).isEqualTo(clusters);
            assertThat(proxy.endpoints()).isEqualTo(endpoints);
        });
    }

    /** Has the proxy of a node that is gone connect to another one, which has nothing to send to it. */
    void moves(int from, int to) {
        DeltaProxy proxy = proxies.get(from);
        await().until(proxy::hasLostServer);
        connect(proxy, to);
    }

    /** Has the proxy of a node that was started again connect to it. */
    void returnsTo(int node) {
        connect(proxies.get(node), node);
    }

    private void connect(DeltaProxy proxy, int node) {
        SortedMap<String, String> clusters = proxy.clusters();
        SortedMap<String, String> endpoints = proxy.endpoints();
        proxy.connect(grpcPort(node));
        await().untilAsserted(() -> {
            advance();
            assertThat(proxy.isAnswered()).isTrue();
        });
        assertThat(proxy.messages()).as("one for clusters, one for endpoints").isEqualTo(2);
        assertSame(clusters, endpoints);
    }

    /** No stream has ended since, and no proxy was ever sent a removal or what it had. */
    void assertUndisturbed() {
        advance();
        assertThat(proxies).allSatisfy(proxy -> {
            assertThat(proxy.hasLostServer()).isFalse();
            assertThat(proxy.removed()).isEmpty();
            assertThat(proxy.repeated()).isEmpty();
        });
    }

    @Override
    public void close() {
        proxies.forEach(DeltaProxy::close);
    }
}
