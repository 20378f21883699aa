package io.cairn.server.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Fields of gRPC messages and beats whose JSON type is not the expected one. */
class FieldTypesIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void takesNumbersInQuotesAndWithAFractionOfZero() {
        try (WireClient client = cairn.newClient()) {
            assertThat(register(client, "quoted", "\"port\":\"8080\",\"weight\":\"1.5\",\"healthy\":\"true\"")
                            .path("resultCode")
                            .asInt())
                    .isEqualTo(200);
            assertThat(register(client, "fraction", "\"port\":80.0,\"weight\":2,\"enabled\":1")
                            .path("resultCode")
                            .asInt())
                    .isEqualTo(200);
            assertThat(cairn.get("/v1/ns/instance/list?serviceName=quoted").body())
                    .contains("\"port\":8080", "\"weight\":1.5");
            assertThat(cairn.get("/v1/ns/instance/list?serviceName=fraction").body())
                    .contains("\"port\":80,", "\"weight\":2.0");
            JsonNode list = client.request(
                    "ServiceListRequest",
                    "{\"namespace\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"pageNo\":\"1\",\"pageSize\":\"10\"}");
            assertThat(list.path("serviceNames").toString()).contains("quoted", "fraction");
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            value = {
                "\"port\":\"80.0\", port: \"80.0\" (expected: a whole number",
                "\"port\":true, port: true (expected: a whole number",
                "\"port\":80.5, port: 80.5 (expected: a whole number",
                "\"port\":99999999999, port: 99999999999 (expected: a whole number",
                "\"port\":{}, port: an object (expected: a whole number",
                "\"weight\":\"NaN\", weight: \"NaN\" (expected: a number",
                "\"weight\":NaN, weight: NaN (expected: a number",
                "\"port\":NaN, port: NaN (expected: a whole number",
                "\"port\":-Infinity, port: -Infinity (expected: a whole number",
                "\"healthy\":\"perhaps\", healthy: \"perhaps\" (expected: a boolean"
            })
    void rejectsOtherTypesWithTheNameOfTheField(String field, String message) {
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = register(client, "wrong", field);
            assertThat(answer.path("resultCode").asInt()).isEqualTo(500);
            assertThat(answer.path("message").asString())
                    .startsWith("errCode: 101, errMsg: Nacos deserialize failed.  " + message);
        }
        assertThat(cairn.get("/v1/ns/instance/list?serviceName=wrong").body()).contains("\"hosts\":[]");
    }

    @Test
    void takesNumbersInQuotesAndWithAFractionOfZeroInABeat() {
        assertThat(beat("beaten", "\"port\":80.0,\"weight\":\"1.5\"").statusCode())
                .isEqualTo(200);
        assertThat(cairn.get("/v1/ns/instance/list?serviceName=beaten").body())
                .contains("\"port\":80,", "\"weight\":1.5");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            value = {
                "\"port\":\"80.0\", beat.port: \"80.0\" (expected: a whole number",
                "\"port\":80;\"weight\":\"NaN\", beat.weight: \"NaN\" (expected: a number",
                "\"port\":80;\"weight\":NaN, beat.weight: NaN (expected: a number"
            })
    void rejectsOtherTypesInABeatWithTheNameOfTheField(String fields, String message) {
        HttpResponse<String> response = beat("wrong-beat", fields.replace(';', ','));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains(message);
        assertThat(cairn.get("/v1/ns/instance/list?serviceName=wrong-beat").body())
                .contains("\"hosts\":[]");
    }

    private static HttpResponse<String> beat(String service, String fields) {
        String beat = URLEncoder.encode("{\"ip\":\"10.0.0.1\"," + fields + '}', StandardCharsets.UTF_8);
        return cairn.send(
                HttpRequest.newBuilder(cairn.uri("/v1/ns/instance/beat?serviceName=" + service + "&beat=" + beat))
                        .PUT(HttpRequest.BodyPublishers.noBody()));
    }

    private static JsonNode register(WireClient client, String service, String fields) {
        return client.request(
                "InstanceRequest",
                "{\"namespace\":\"public\",\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\","
                        + "\"type\":\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.1\"," + fields + "}}");
    }
}
