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

    private static final String STATUS = """
            {"cluster":true,"node":"10.0.0.1:8848","nodes":[
             {"address":"10.0.0.1:8848","answered":true,"state":"READY","presence":"PRESENT","version":"1.0","startedAt":1,
              "since":1,"seenAt":1,"connections":300,"owned":20,"mirrored":41,"behind":0,"behindMillis":0,"digestsEqual":true,
              "revision":99,"revisionsBehind":0,"clockOffsetMillis":0,"copies":[]},
             {"address":"10.0.0.2:8848","answered":true,"state":"DRAINING","presence":"PRESENT",
              "reason":"an operator drains this node","version":"1.0","startedAt":1,"since":1,"seenAt":1,"connections":7,
              "owned":21,"mirrored":40,"behind":3,"behindMillis":1200,"digestsEqual":false,"revision":97,"revisionsBehind":2,
              "clockOffsetMillis":1500,"copies":[]},
             {"address":"10.0.0.3:8848","answered":false,"state":"READY","presence":"SUSPECTED",
              "reason":"it has sent no heartbeat for some seconds","version":"1.0","startedAt":1,"since":1,"seenAt":1,
              "connections":0,"owned":20,"mirrored":0,"behind":0,"behindMillis":0,"revision":99,"revisionsBehind":0,
              "copies":[]}]}""";

    private final List<String> requests = new CopyOnWriteArrayList<>();

    private CairnCommandIT.Answer ask(String data, String... words) throws Exception {
        HttpServer node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod()
                    + ' '
                    + exchange.getRequestURI()
                    + ' '
                    + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            byte[] body = ("{\"code\":0,\"message\":\"success\",\"data\":" + data + '}').getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        node.start();
        try {
            CairnCommandIT.Answer answer = CairnCommandIT.run(
                    Map.of("CAIRN_SERVER", "127.0.0.1:" + node.getAddress().getPort()), "", words);
            assertThat(answer.status()).as(answer.toString()).isZero();
            return answer;
        } finally {
            node.stop(0);
        }
    }

    @Test
    void requestsANewKeyOnceAndPrintsTheNextSteps() throws Exception {
        CairnCommandIT.Answer answer = ask("\"A new key is stored. Stop all nodes\"", "cluster", "rotate-key");

        assertThat(answer.out()).isEqualTo("A new key is stored. Stop all nodes\n");
        assertThat(requests).containsExactly("POST /nacos/v3/admin/core/cluster/key ");
    }

    @Test
    void eachNodeIsALineWithItsStateAndHowFarItIsBehind() throws Exception {
        CairnCommandIT.Answer answer = ask(STATUS, "nodes");

        List<String> lines = answer.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0).split(" +"))
                .containsExactly(
                        "NODE",
                        "STATE",
                        "VERSION",
                        "UP",
                        "CLIENTS",
                        "OWN",
                        "MIRRORED",
                        "BEHIND",
                        "COPIES",
                        "REVISION",
                        "CLOCK",
                        "WHY");
        assertThat(lines.get(1)).contains("10.0.0.1:8848", "READY", "300", "equal", "99", "0 ms");
        assertThat(lines.get(2))
                .contains("DRAINING", "3 for 1200 ms", "DIFFER", "97 (-2)", "+1500 ms", "an operator drains this node");
        assertThat(lines.get(3)).contains("SUSPECTED", "?", "no heartbeat");
        assertThat(answer.err()).contains("not answered by 10.0.0.3:8848");
    }

    @Test
    void clientsAreMovedByCommandsThatNameTheNode() throws Exception {
        ask("\"done\"", "nodes", "drain", "10.0.0.2:8848");
        ask("\"done\"", "nodes", "undrain", "10.0.0.2:8848");
        assertThat(ask("\"12 clients are asked to move\"", "nodes", "rebalance").out())
                .isEqualTo("12 clients are asked to move\n");

        assertThat(requests)
                .containsExactly(
                        "POST /nacos/v3/admin/core/cluster/node/drain address=10.0.0.2%3A8848",
                        "POST /nacos/v3/admin/core/cluster/node/undrain address=10.0.0.2%3A8848",
                        "POST /nacos/v3/admin/core/cluster/rebalance ");
    }
}
