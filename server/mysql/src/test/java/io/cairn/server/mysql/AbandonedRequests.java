package io.cairn.server.mysql;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.load.ClusterLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Requests to a node that hangs, each from a client that stops waiting and closes its connection, as official clients do after 3 s. The
 * kernel keeps them, and the node reads them when it runs again.
 */
final class AbandonedRequests {

    private final ClusterOfProcesses cluster;
    private final int node;

    /** @param node the one that hangs */
    AbandonedRequests(ClusterOfProcesses cluster, int node) {
        this.cluster = cluster;
        this.node = node;
    }

    /** @param path with all parameters in the query */
    void send(String method, String path) {
        String head =
                method + ' ' + path + " HTTP/1.1\r\nHost: " + cluster.address(node) + "\r\nContent-Length: 0\r\n\r\n";
        try (Socket socket = new Socket("127.0.0.1", cluster.httpPort(node))) {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Publishes that content of each configuration. */
    void publish(List<String> dataIds, String content) {
        for (String dataId : dataIds) {
            send("POST", ClusterLoad.publishPath(dataId, content));
        }
    }
}
