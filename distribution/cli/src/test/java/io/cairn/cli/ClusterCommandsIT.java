package io.cairn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Commands for a cluster, answered as a node answers them; TwoServersOnMySqlIT has the answers of nodes. */
class ClusterCommandsIT {

    @Test
    void aNewKeyIsAskedForOnceAndTheAnswerSaysWhatToDo() throws Exception {
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod() + ' ' + exchange.getRequestURI());
            byte[] body = "{\"code\":0,\"message\":\"success\",\"data\":\"A new key is stored. Stop all nodes\"}"
                    .getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        node.start();
        try {
            CairnCommandIT.Answer answer = CairnCommandIT.run(
                    Map.of("CAIRN_SERVER", "127.0.0.1:" + node.getAddress().getPort()), "", "cluster", "rotate-key");

            assertThat(answer.status()).as(answer.toString()).isZero();
            assertThat(answer.out()).isEqualTo("A new key is stored. Stop all nodes\n");
            assertThat(requests).containsExactly("POST /nacos/v3/admin/core/cluster/key");
        } finally {
            node.stop(0);
        }
    }
}
