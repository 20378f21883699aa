package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.naming.NamingException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every kind of failure has a status and a number in the envelope of versions 2 and 3. */
class HttpEnvelopeTest {

    private static final HttpRequest CALL = HttpRequest.to(
            "PATCH", "/nacos/x?y", EmptyHttpHeaders.INSTANCE::get, new byte[0], "127.0.0.1", Runnable::run);

    private record Answered(int status, int code, String message) {}

    private static final Map<ErrorCode, Answered> TABLE = Map.of(
            ErrorCode.INVALID_PARAMETER, new Answered(400, 20002, "parameter validate error"),
            ErrorCode.NOT_FOUND, new Answered(404, 20004, "resource not found"),
            ErrorCode.CONFLICT, new Answered(409, 20005, "resource conflict"),
            ErrorCode.LIMIT_EXCEEDED, new Answered(400, 5031, "cluster capacity reach quota"),
            ErrorCode.BUSY, new Answered(503, 30000, "server error"),
            ErrorCode.UNAVAILABLE, new Answered(503, 10002, "data access error"),
            ErrorCode.BEHIND, new Answered(503, 10002, "data access error"),
            ErrorCode.UNSUPPORTED, new Answered(501, 40001, "API function disabled."),
            ErrorCode.INTERNAL, new Answered(500, 30000, "server error"));

    private final Envelope envelope = new Envelope(response -> response.header("X-Of-All", "1"));
    private final EnvelopeErrors errors =
            new EnvelopeErrors(envelope, (call, allowed) -> envelope.failure(405, DetailCode.SERVER_ERROR, allowed));

    @ParameterizedTest
    @EnumSource
    void everyCodeHasItsStatusAndNumber(ErrorCode code) {
        HttpResponse response = errors.failed(CALL, new CairnException(code, "what \"happened\""));

        assertThat(answered(response)).isEqualTo(TABLE.get(code));
        assertThat(json(response).path("data").asString()).isEqualTo("what \"happened\"");
        assertThat(head(response)).contains("Content-Type: application/json\r\n", "X-Of-All: 1\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "MALFORMED_SERVICE_NAME, 21000, service name error",
        "METADATA_FORMAT, 21002, instance metadata error",
        "BEAT_FORMAT, 20002, parameter validate error",
        "WEIGHT, 21001, weight error",
        "INSTANCE, 21004, instance error",
        "OTHER_KIND, 30000, server error",
        "HEALTH_IS_CHECKED, 30000, server error",
        "INSTANCE_SERVICE_ABSENT, 21004, instance error",
        "SERVICE_ABSENT, 21008, service not exist",
        "SERVICE_EXISTS, 21007, service already exist",
        "SERVICE_NOT_EMPTY, 21009, service delete failure"
    })
    void registryErrorsHaveTheirCode(NamingException.Fault fault, int code, String message) {
        HttpResponse response = errors.failed(CALL, new NamingException(fault, "why"));

        assertThat(answered(response)).isEqualTo(new Answered(400, code, message));
    }

    @ParameterizedTest
    @EnumSource
    void noFaultOfTheRegistryIsForgotten(NamingException.Fault fault) {
        assertThat(json(errors.failed(CALL, new NamingException(fault, "why")))
                        .path("data")
                        .asString())
                .isEqualTo("why");
    }

    @Test
    void aRefusalOfTheParameterCheckStandsForItself() {
        HttpResponse response = errors.failed(CALL, ParameterException.refused("serviceName", "it is too odd."));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.bodyText()).isEqualTo("Param 'serviceName' is illegal, it is too odd.\r\n");
        assertThat(head(response))
                .contains("Cache-Control: no-cache,no-store\r\n")
                .doesNotContain("Content-Type");
    }

    @ParameterizedTest
    @CsvSource({"ip, String", "port, Integer", "healthy, Boolean", "pageNo, int"})
    void aMissingParameterIsNamedWithItsType(String parameter, String type) {
        HttpResponse ofForm = errors.failed(CALL, ParameterException.missing(parameter));
        HttpResponse single = errors.forSingleParameters().failed(CALL, ParameterException.missing(parameter));

        assertThat(answered(ofForm)).isEqualTo(new Answered(400, 10000, "parameter missing"));
        assertThat(answered(single)).isEqualTo(answered(ofForm));
        assertThat(json(ofForm).path("data").asString())
                .isEqualTo("Required parameter '" + parameter + "' type " + type + " is not present");
        assertThat(json(single).path("data").asString())
                .isEqualTo("Required request parameter '" + parameter + "' for method parameter type " + type
                        + " is not present");
    }

    @Test
    void noNumberHasTwoMeanings() {
        assertThat(Arrays.stream(DetailCode.values()).map(DetailCode::number)).doesNotHaveDuplicates();
    }

    @Test
    void successIsTheNumberZero() {
        assertThat(envelope.success("é\n").bodyText())
                .isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":\"é\\n\"}");
        assertThat(envelope.success(8, out -> out.json("data", "[]")).bodyText())
                .isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":[]}");
    }

    private static Answered answered(HttpResponse response) {
        JsonNode body = json(response);
        return new Answered(
                response.status(),
                body.path("code").asInt(),
                body.path("message").asString());
    }

    private static JsonNode json(HttpResponse response) {
        return JsonMapper.builder().build().readTree(response.bodyText());
    }

    private static String head(HttpResponse response) {
        return new String(response.head(), StandardCharsets.ISO_8859_1);
    }
}
