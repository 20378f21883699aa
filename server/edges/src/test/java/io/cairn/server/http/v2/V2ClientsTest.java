package io.cairn.server.http.v2;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.naming.ClientEndpoints.PublishedService;
import io.cairn.server.http.naming.ClientEndpoints.SubscribedService;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.View;
import io.cairn.server.subscription.Subscriber;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The bytes of clients of the registry in version 2. */
class V2ClientsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "s");
    private static final Subscriber SUBSCRIBER = new Subscriber("id", "10.0.0.1", 7, "Nacos-Java", "app", "c");

    private static <T> String json(View<T, ?> view, T shown) {
        return new String(JsonBody.of(view.make().apply(shown)), StandardCharsets.UTF_8);
    }

    @Test
    void clientWithConnectionHasItsPortAsText() {
        assertThat(json(
                        V2Clients.VIEWS.client(),
                        new NamingClients.Client("id", true, true, 5, "10.0.0.1", 7, "a\"\u0001", "v")))
                .isEqualTo(
                        "{\"clientId\":\"id\",\"ephemeral\":true,\"lastUpdatedTime\":5,\"clientType\":\"connection\","
                                + "\"clientIp\":\"10.0.0.1\",\"clientPort\":\"7\",\"connectType\":\"GRPC\","
                                + "\"appName\":\"a\\\"\\u0001\",\"version\":\"v\"}");
    }

    @Test
    void clientWithoutConnectionLacksFieldsOfConnections() {
        assertThat(json(
                        V2Clients.VIEWS.client(),
                        new NamingClients.Client("10.0.0.1:7#false", false, false, 5, "10.0.0.1", 7, null, null)))
                .isEqualTo("{\"clientId\":\"10.0.0.1:7#false\",\"ephemeral\":false,\"lastUpdatedTime\":5,"
                        + "\"clientType\":\"ipPort\",\"clientIp\":\"10.0.0.1\",\"clientPort\":\"7\"}");
    }

    @Test
    void servicesOfClient() {
        assertThat(json(
                        V2Clients.VIEWS.published(),
                        new PublishedService(
                                SERVICE, Instance.of("10.0.0.1", 80).key())))
                .isEqualTo("{\"namespace\":\"public\",\"group\":\"g\",\"serviceName\":\"s\",\"registeredInstance\":"
                        + "{\"ip\":\"10.0.0.1\",\"port\":80,\"cluster\":\"DEFAULT\"}}");
        assertThat(json(V2Clients.VIEWS.subscribed(), new SubscribedService(SERVICE, SUBSCRIBER)))
                .isEqualTo("{\"namespace\":\"public\",\"group\":\"g\",\"serviceName\":\"s\",\"subscriberInfo\":"
                        + "{\"app\":\"app\",\"agent\":\"Nacos-Java\",\"addr\":\"10.0.0.1:7\"}}");
    }

    @Test
    void clientsOfService() {
        assertThat(json(V2Clients.VIEWS.publishers(), new NamingClients.Published("id", Instance.of("10.0.0.1", 80))))
                .isEqualTo("{\"clientId\":\"id\",\"ip\":\"10.0.0.1\",\"port\":80,\"cluster\":\"DEFAULT\"}");
        assertThat(json(V2Clients.VIEWS.subscribers(), SUBSCRIBER))
                .isEqualTo("{\"clientId\":\"id\",\"ip\":\"10.0.0.1\",\"port\":7}");
    }
}
