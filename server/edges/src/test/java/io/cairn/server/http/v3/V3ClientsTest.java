package io.cairn.server.http.v3;

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

/** The bytes of clients and subscribers of the registry in version 3. */
class V3ClientsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "s");
    private static final Subscriber SUBSCRIBER = new Subscriber("id", "10.0.0.1", 0, "Nacos-Java", "app", "");

    private static <T> String json(View<T, ?> view, T shown) {
        return json(view.make().apply(shown));
    }

    private static String json(Object shown) {
        return new String(JsonBody.of(shown), StandardCharsets.UTF_8);
    }

    @Test
    void clientWithConnection() {
        assertThat(json(
                        V3Clients.VIEWS.client(),
                        new NamingClients.Client("id", true, true, 5, "10.0.0.1", 7, "é", "v")))
                .isEqualTo(
                        "{\"clientId\":\"id\",\"ephemeral\":true,\"lastUpdatedTime\":5,\"clientType\":\"connection\","
                                + "\"connectType\":\"GRPC\",\"appName\":\"é\",\"version\":\"v\",\"clientIp\":\"10.0.0.1\","
                                + "\"clientPort\":7}");
    }

    @Test
    void clientWithoutConnectionHasNullWhereOthersHaveTheirConnection() {
        assertThat(json(
                        V3Clients.VIEWS.client(),
                        new NamingClients.Client("10.0.0.1:7#true", true, false, 5, "10.0.0.1", 7, null, null)))
                .isEqualTo("{\"clientId\":\"10.0.0.1:7#true\",\"ephemeral\":true,\"lastUpdatedTime\":5,"
                        + "\"clientType\":\"ipPort\",\"connectType\":null,\"appName\":null,\"version\":null,"
                        + "\"clientIp\":\"10.0.0.1\",\"clientPort\":7}");
    }

    @Test
    void servicesOfClient() {
        assertThat(json(
                        V3Clients.VIEWS.published(),
                        new PublishedService(
                                SERVICE, Instance.of("10.0.0.1", 80).key())))
                .isEqualTo("{\"namespaceId\":\"public\",\"groupName\":\"g\",\"serviceName\":\"s\",\"publisherInfo\":"
                        + "{\"clientId\":null,\"ip\":\"10.0.0.1\",\"port\":80,\"clusterName\":\"DEFAULT\"},"
                        + "\"subscriberInfo\":null}");
        assertThat(json(V3Clients.VIEWS.subscribed(), new SubscribedService(SERVICE, SUBSCRIBER)))
                .isEqualTo("{\"namespaceId\":\"public\",\"groupName\":\"g\",\"serviceName\":\"s\","
                        + "\"publisherInfo\":null,\"subscriberInfo\":{\"clientId\":null,\"appName\":\"app\","
                        + "\"agent\":\"Nacos-Java\",\"address\":\"10.0.0.1\"}}");
    }

    @Test
    void clientsOfService() {
        assertThat(json(V3Clients.VIEWS.publishers(), new NamingClients.Published("id", Instance.of("10.0.0.1", 80))))
                .isEqualTo("{\"clientId\":\"id\",\"ip\":\"10.0.0.1\",\"port\":80,\"clusterName\":\"DEFAULT\"}");
        assertThat(json(V3Clients.VIEWS.subscribers(), SUBSCRIBER))
                .isEqualTo(
                        "{\"clientId\":\"id\",\"appName\":\"app\",\"agent\":\"Nacos-Java\",\"address\":\"10.0.0.1\"}");
    }

    @Test
    void subscriberOfAllClustersNamesNone() {
        String all = "{\"namespaceId\":\"public\",\"groupName\":\"g\",\"serviceName\":\"s\",\"ip\":\"10.0.0.1\","
                + "\"port\":0,\"agent\":\"Nacos-Java\",\"appName\":\"app\"";

        assertThat(json(V3Services.ServiceSubscriber.of(SERVICE, SUBSCRIBER))).isEqualTo(all + "}");
        assertThat(json(V3Services.ServiceSubscriber.of(
                        SERVICE, new Subscriber("id", "10.0.0.1", 0, "Nacos-Java", "app", "a,b"))))
                .isEqualTo(all + ",\"clusters\":\"a,b\"}");
    }
}
