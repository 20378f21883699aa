package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Instances disappear when their client is killed or closed. */
public abstract class LivenessScenarios extends NamingScenarios {
    @Test
    void removesTheInstanceOfAKilledProcessAndKeepsOthers() throws Exception {
        String service = newService();
        Instance killed = newShortLivedInstance();
        Instance staying = newInstance();
        var subscriber = new RecordingSubscriber();
        clients().open().registerInstance(service, copy(staying));
        clients().open().subscribe(service, subscriber);
        try (var provider = ProviderProcess.start(server().serverAddress(), service, killed)) {
            awaitNow(subscriber, killed, staying);
            // The start of a process may starve the other client.
            int before = subscriber.count() - 1;

            provider.kill();

            awaitNow(subscriber, staying);
            assertThat(subscriber.lists().stream().skip(before))
                    .as("the other instance stayed registered")
                    .allSatisfy(list -> assertThat(addresses(list)).contains(staying.toInetAddr()));
        }
        assertFound(clients().open(), service, List.of(staying));
    }

    @Test
    void aStoppedConsumerIsNamedAtTheTimeLimitOfADrain() throws Exception {
        String service = newService();
        Instance drained = newInstance();
        NamingService present = clients().open();
        clients().open().registerInstance(service, copy(drained));
        clients().open().registerInstance(service, newInstance());
        try (var consumer = ProviderProcess.subscribing(server().serverAddress(), service, "stopped-app")) {
            // The start of a process may starve the providers.
            patiently().until(() -> present.selectInstances(service, true).size() == 2);
            consumer.pause();

            String answer = drain(service, drained, "2s");

            assertThat(answer)
                    .contains("\"acknowledged\":false", "\"app\":\"stopped-app\"", "-Java-Client:v")
                    .containsPattern("\"kind\":\"(grpc|udp)\"")
                    .containsPattern("\"ip\":\"[0-9.]+\"")
                    .contains("\"node\":\"");
        }
    }

    private String drain(String service, Instance instance, String wait) throws Exception {
        URI uri = URI.create("http://" + server().serverAddress() + "/nacos/v3/admin/ns/instance/drain?serviceName="
                + service + "&ip=" + instance.getIp() + "&port=" + instance.getPort() + "&wait=" + wait);
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .timeout(PATIENCE)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    @Test
    void aClosedClientLeavesNoInstances() throws Exception {
        String service = newService();
        String group = newName("group");
        Instance leaving = newShortLivedInstance();
        Instance leavingToo = newShortLivedInstance();
        Instance staying = newInstance();
        var subscriber = new RecordingSubscriber();
        NamingService consumer = clients().open();
        clients().open().registerInstance(service, copy(staying));
        NamingService provider = clients().open();
        provider.registerInstance(service, copy(leaving));
        provider.registerInstance(service, group, copy(leavingToo));
        consumer.subscribe(service, subscriber);
        awaitNow(subscriber, leaving, staying);

        provider.shutDown();

        awaitNow(subscriber, staying);
        patiently().untilAsserted(() -> assertThat(consumer.getAllInstances(service, group, false))
                .isEmpty());
    }
}
