package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How much instances may say of themselves, over each protocol. */
class NamingLimitsIT {

    private static final String LONG = metadata(2_000);
    private static final String TOO_LONG = metadata(2_001);
    private static final String TEXT = "Param 'Metadata' is illegal, the param length should not exceed 2000.";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("nacos.naming.service.metadata.length", "2000")
            // So that nothing waits for beats.
            .with("nacos.naming.expireInstance", "false");

    private static String metadata(int length) {
        return "{\"key\":\"" + "v".repeat(length - "key".length()) + "\"}";
    }

    @ParameterizedTest
    @CsvSource({"InstanceRequest, true", "PersistentInstanceRequest, false"})
    void metadataOverGrpcMayBeAsLongAsIsSet(String type, boolean ephemeral) {
        String service = "metadata-" + type;
        try (NamingClient client = NamingClient.connect(cairn)) {
            JsonNode refused = request(client, type, service, TOO_LONG, ephemeral);
            assertThat(refused.path("resultCode").asInt()).isEqualTo(500);
            assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
            assertThat(refused.path("message").asString()).isEqualTo("Param check invalid:" + TEXT);
            assertThat(client.hosts(service)).isEmpty();

            assertThat(request(client, type, service, LONG, ephemeral)
                            .path("resultCode")
                            .asInt())
                    .isEqualTo(200);
            assertThat(client.hosts(service)).hasSize(1);
        }
    }

    private static JsonNode request(
            NamingClient client, String type, String service, String metadata, boolean ephemeral) {
        return client.wire()
                .request(
                        type,
                        "{\"serviceName\":\"" + service
                                + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"registerInstance\","
                                + "\"instance\":"
                                + NamingClient.json(
                                        "10.0.0.1:1", "\"metadata\":" + metadata, "\"ephemeral\":" + ephemeral)
                                + '}');
    }

    @Test
    void metadataOfABatchMayBeAsLongAsIsSet() {
        try (NamingClient client = NamingClient.connect(cairn)) {
            assertThat(batch(client, LONG, TOO_LONG).path("message").asString())
                    .isEqualTo("Param check invalid:" + TEXT);
            assertThat(client.hosts("metadata-batch")).isEmpty();
            assertThat(batch(client, LONG, LONG).path("resultCode").asInt()).isEqualTo(200);
            assertThat(client.hosts("metadata-batch")).hasSize(2);
        }
    }

    private static JsonNode batch(NamingClient client, String one, String other) {
        return client.wire()
                .request(
                        "BatchInstanceRequest",
                        "{\"serviceName\":\"metadata-batch\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"batchRegisterInstance\","
                                + "\"instances\":[" + NamingClient.json("10.0.0.1:1", "\"metadata\":" + one) + ','
                                + NamingClient.json("10.0.0.2:1", "\"metadata\":" + other) + "]}");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/ns/instance, 400",
        "PUT, /v1/ns/instance, 400",
        "PATCH, /v1/ns/instance, 400",
        "PUT, /v1/ns/instance/metadata/batch, 400",
        "POST, /v2/ns/instance, 400",
        "PUT, /v2/ns/instance, 400",
        "PATCH, /v2/ns/instance, 400",
        "PUT, /v2/ns/instance/metadata/batch, 400",
        "POST, /v3/client/ns/instance, 400",
        "POST, /v3/admin/ns/instance, 400",
        "PUT, /v3/admin/ns/instance, 400",
        "PUT, /v3/admin/ns/instance/partial, 400",
        "PUT, /v3/admin/ns/instance/metadata/batch, 400",
    })
    void metadataOverHttpMayBeAsLongAsIsSet(String method, String path, int status) {
        String service = (method + path).replaceAll("[^A-Za-z0-9]", "-");
        assertThat(send("POST", "/v1/ns/instance", form(service, "{}")).statusCode())
                .isEqualTo(200);

        HttpResponse<String> refused = send(method, path, form(service, TOO_LONG));
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(refused.body()).contains(TEXT);
        assertThat(listed(service).path("metadata")).isEmpty();

        assertThat(send(method, path, form(service, LONG)).statusCode()).isEqualTo(200);
        assertThat(listed(service).path("metadata").path("key").asString()).hasSize(2_000 - "key".length());
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/ns/instance, clusterName=a b",
        "PUT, /v1/ns/instance/beat, clusterName=集群",
        "PUT, /v1/ns/instance/metadata/batch, 'instances=[{\"ip\":\"1.1.1.1\",\"port\":\"80\",\"clusterName\":\"a b\"}]'",
        "GET, '/v1/ns/instance/list?clusters=a,,b&serviceName=clusters', x=y",
        "POST, /v2/ns/instance, clusterName=a;b",
        "POST, /v3/client/ns/instance, clusterName=a.b",
        "PUT, /v3/admin/ns/instance/metadata/batch, 'instances=[{\"ip\":\"1.1.1.1\",\"port\":\"80\",\"clusterName\":\"a,,b\"}]'",
        "PUT, /v3/admin/ns/cluster, clusterName=a b&checkPort=1&useInstancePort4Check=true&healthChecker={}",
    })
    void anIllegalClusterIsRefusedWithTheTextOfTheParameterCheck(String method, String path, String parameters) {
        Map<String, String> form = new HashMap<>(
                Map.of("serviceName", "clusters", "ip", "1.1.1.1", "port", "80", "metadata", "{\"a\":\"b\"}"));
        for (String parameter : parameters.split("&")) {
            String[] parts = parameter.split("=", 2);
            form.put(parts[0], parts[1]);
        }

        HttpResponse<String> refused = send(method, path, form);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
                .isEqualTo("Param 'cluster' is illegal, illegal characters should not appear in the param.\r\n");
        assertThat(listed("clusters").isMissingNode()).isTrue();
    }

    @Test
    void metadataOfABeatMayBeAsLongAsIsSet() {
        assertThat(beat("metadata-beat", "\"metadata\":" + TOO_LONG)).contains(TEXT);
        assertThat(listed("metadata-beat").isMissingNode()).isTrue();
        assertThat(beat("metadata-beat", "\"metadata\":" + LONG)).contains("\"code\":10200");
        assertThat(listed("metadata-beat").path("metadata")).hasSize(1);
    }

    @Test
    void anSdkMayGiveAnyWeightAndAScriptOneWithinTheLimits() {
        try (NamingClient client = NamingClient.connect(cairn)) {
            for (double weight : new double[] {20_000, -1}) {
                assertThat(client.register("weights", "10.0.0.1:1", "\"weight\":" + weight)
                                .path("resultCode")
                                .asInt())
                        .isEqualTo(200);
                assertThat(listed("weights").path("weight").asDouble()).isEqualTo(weight);
            }
            assertThat(client.register("weights", "10.0.0.1:1", "\"weight\":1e999")
                            .path("message")
                            .asString())
                    .contains("weight: 1e999 (expected: a number)");
            assertThat(listed("weights").path("weight").asDouble()).isEqualTo(-1);
        }
        assertThat(beat("weight-beat", "\"weight\":-4")).contains("\"code\":10200");
        assertThat(listed("weight-beat").path("weight").asDouble()).isEqualTo(-4);
        assertThat(beat("weight-beat-2", "\"weight\":\"NaN\"")).contains("beat.weight: \"NaN\" (expected: a number)");
        HttpResponse<String> refused = send(
                "POST",
                "/v1/ns/instance",
                Map.of("serviceName", "weight-http", "ip", "10.0.0.1", "port", "1", "weight", "10001"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(listed("weight-http").isMissingNode()).isTrue();
    }

    private static Map<String, String> form(String service, String metadata) {
        return Map.of("serviceName", service, "ip", "10.0.0.1", "port", "1", "metadata", metadata);
    }

    private static String beat(String service, String field) {
        String beat = "{\"ip\":\"10.0.0.1\",\"port\":1," + field + '}';
        return send("PUT", "/v1/ns/instance/beat", Map.of("serviceName", service, "beat", beat))
                .body();
    }

    private static HttpResponse<String> send(String method, String path, Map<String, String> form) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method(method, HttpRequest.BodyPublishers.ofString(CairnExtension.encode(form))));
    }

    private static JsonNode listed(String service) {
        return JsonMapper.shared()
                .readTree(
                        cairn.get("/v1/ns/instance/list?serviceName=" + service).body())
                .path("hosts")
                .path(0);
    }
}
