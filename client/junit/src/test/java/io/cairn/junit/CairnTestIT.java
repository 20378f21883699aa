package io.cairn.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@CairnTest(settings = "cairn.config.max-content=64KB")
@CairnConfig(dataId = "orders.yaml", content = "timeout: 3s")
@CairnConfig(dataId = "names.txt", group = "SHARED", resource = "names.txt")
class CairnTestIT {

    @Test
    void theRequestedConfigurationsExist(CairnTestServer cairn) {
        assertThat(cairn.config("orders.yaml", "DEFAULT_GROUP")).contains("timeout: 3s");
        assertThat(cairn.config("names.txt", "SHARED")).contains("Åsa, 李明\n");
        assertThat(cairn.config("nothing", "DEFAULT_GROUP")).isEmpty();
    }

    @Test
    void keepsItsDataAcrossARestartOnTheSamePorts(CairnTestServer cairn) {
        int port = cairn.httpPort();
        cairn.publish("kept", "DEFAULT_GROUP", "for good");

        cairn.stop();
        cairn.stop();
        cairn.start();
        cairn.start();

        assertThat(cairn.httpPort()).isEqualTo(port);
        assertThat(cairn.grpcPort()).isEqualTo(port + 1000);
        assertThat(cairn.config("kept", "DEFAULT_GROUP")).contains("for good");
    }

    @Test
    void pretendedInstancesAreListedAsHealthy(CairnTestServer cairn) throws Exception {
        cairn.register("payment", "10.0.0.7", 8080);

        HttpResponse<String> list = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        cairn.uri() + "/v1/ns/instance/list?serviceName=payment&healthyOnly=true"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(list.body()).contains("\"ip\":\"10.0.0.7\"", "\"port\":8080");
    }

    @Test
    void aBootstrapNamesTheGrpcPortAndTheNode(CairnTestServer cairn) {
        assertThat(cairn.xdsBootstrap("a \"b\"")).isEqualTo("""
                        {"xds_servers":[{"server_uri":"127.0.0.1:%d","channel_creds":[{"type":"insecure"}],\
                        "server_features":["xds_v3"]}],"node":{"id":"a \\"b\\"","cluster":"test"},\
                        "server_listener_resource_name_template":\
                        "grpc/server?xds.resource.listening_address=%%s"}""".formatted(cairn.grpcPort()));
    }

    @Nested
    class InANestedClass {

        @Test
        void theServerOfTheClassAroundItIsUsed(CairnTestServer cairn) {
            assertThat(cairn.config("orders.yaml", "DEFAULT_GROUP")).contains("timeout: 3s");
        }
    }
}
