package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a label selector, clients receive the instances with the labels of the client's address. */
public abstract class LabelScenarios extends NamingScenarios {
    @TempDir
    Path folder;

    @BeforeEach
    @Override
    void useSharedServer(CairnProcess shared) {}

    @Test
    void aConsumerGetsInstancesWithItsLabels() throws Exception {
        Path labels = folder.resolve("labels.json");
        // No machine has these two addresses, which are for documentation.
        String elsewhere = "\"0.0.0.0/0\":{\"site\":\"%s\"},\"::/0\":{\"site\":\"%<s\"},"
                + "\"203.0.113.201\":{\"site\":\"north\"},\"203.0.113.202\":{\"site\":\"south\"}";
        Files.writeString(labels, '{' + elsewhere.formatted("north") + '}');
        try (CairnProcess own =
                startOwnServer("--cairn.naming.labels-file=" + labels, "--cairn.naming.labels-reload-interval=100ms")) {
            useServer(own);
            String service = newService();
            Instance north = newInstance();
            north.setIp("203.0.113.201");
            Instance south = newInstance();
            south.setIp("203.0.113.202");
            clients().open().registerInstance(service, copy(north));
            clients().open().registerInstance(service, copy(south));
            var subscriber = new RecordingSubscriber();
            NamingService consumer = clients().open();
            consumer.subscribe(service, subscriber);
            awaitNow(subscriber, north, south);

            select(own, service, "{\"type\":\"label\",\"expression\":\"CONSUMER.label.site=PROVIDER.label.site\"}");
            awaitNow(subscriber, north);
            assertThat(addresses(query(consumer, service))).containsExactly(north.toInetAddr());

            Files.writeString(labels, '{' + elsewhere.formatted("south") + '}');
            awaitNow(subscriber, south);

            select(own, service, "{\"type\":\"none\"}");
            awaitNow(subscriber, north, south);
        }
    }

    private static void select(CairnProcess server, String service, String selector)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + server.serverAddress()
                        + "/nacos/v1/ns/service?protectThreshold=0&serviceName=" + service + "&selector="
                        + URLEncoder.encode(selector, UTF_8)))
                .PUT(BodyPublishers.noBody())
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, BodyHandlers.ofString(UTF_8))
                        .body())
                .isEqualTo("ok");
    }
}
