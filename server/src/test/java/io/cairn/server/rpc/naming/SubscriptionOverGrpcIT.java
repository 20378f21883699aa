package io.cairn.server.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class SubscriptionOverGrpcIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    /** Official Java clients subscribe anew after a reconnect, and do not look at the answer. */
    @Test
    void whoSubscribesIsAlsoBroughtTheListThoughNothingChanged() {
        try (WireClient provider = cairn.newClient();
                WireClient consumer = cairn.newClient()) {
            register(provider, "brought", 8081);
            assertThat(ports(subscribe(consumer, "brought", true).path("serviceInfo")))
                    .isEqualTo("8081");

            Payload push = consumer.nextPush();

            assertThat(push.type()).isEqualTo("NotifySubscriberRequest");
            assertThat(ports(WireClient.tree(push).path("serviceInfo"))).isEqualTo("8081");
        }
    }

    @Test
    void whoHasUnsubscribedMeanwhileIsNotBroughtTheList() {
        try (WireClient consumer = cairn.newClient()) {
            subscribe(consumer, "left", true);
            subscribe(consumer, "left", false);
            subscribe(consumer, "kept", true);

            assertThat(WireClient.tree(consumer.nextPush())
                            .path("serviceInfo")
                            .path("name")
                            .asString())
                    .isEqualTo("kept");
        }
    }

    private static void register(WireClient client, String service, int port) {
        JsonNode answer = client.request(
                "InstanceRequest",
                service(service) + ",\"type\":\"registerInstance\",\"instance\":{\"ip\":\"127.0.0.1\",\"port\":" + port
                        + "}}");
        assertThat(answer.path("success").asBoolean()).isTrue();
    }

    private static JsonNode subscribe(WireClient client, String service, boolean subscribe) {
        return client.request(
                "SubscribeServiceRequest", service(service) + ",\"subscribe\":" + subscribe + ",\"clusters\":\"\"}");
    }

    /** The beginning of a request about a service. */
    private static String service(String name) {
        return "{\"namespace\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"serviceName\":\"" + name + '"';
    }

    private static String ports(JsonNode serviceInfo) {
        return String.join(",", serviceInfo.path("hosts").findValuesAsString("port"));
    }
}
