package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.v1.V1ConfigErrors;
import io.cairn.server.http.v1.V1NamingErrors;
import io.cairn.server.naming.NamingException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Every kind of failure has a status in each version of the API. */
class HttpErrorTablesTest {

    private static final HttpRequest CALL = HttpRequest.to(
            "PATCH", "/nacos/x?y", EmptyHttpHeaders.INSTANCE::get, new byte[0], "127.0.0.1", Runnable::run);

    private static final Map<ErrorCode, Integer> STATUSES = Map.of(
            ErrorCode.INVALID_PARAMETER, 400,
            ErrorCode.NOT_FOUND, 404,
            ErrorCode.CONFLICT, 409,
            ErrorCode.LIMIT_EXCEEDED, 400,
            ErrorCode.BUSY, 503,
            ErrorCode.UNAVAILABLE, 503,
            ErrorCode.BEHIND, 503,
            ErrorCode.UNSUPPORTED, 501,
            ErrorCode.INTERNAL, 500);

    private final ContainerErrors container =
            new ContainerErrors(Clock.fixed(Instant.parse("2026-01-02T03:04:05.678Z"), ZoneOffset.UTC));

    @ParameterizedTest
    @EnumSource
    void everyCodeHasItsStatusInTheJsonOfTheContainer(ErrorCode code) {
        HttpResponse response = container.failed(CALL, new CairnException(code, "what \"happened\""));

        assertThat(response.status()).isEqualTo(STATUSES.get(code));
        assertThat(JsonMapper.builder().build().readTree(response.bodyText()).properties())
                .extracting(Object::toString)
                .contains("status=" + STATUSES.get(code), "message=\"what \\\"happened\\\"\"", "path=\"/nacos/x\"")
                .contains("timestamp=\"2026-01-02T03:04:05.678+00:00\"");
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeHasItsStatusInTheTextOfVersionOne(ErrorCode code) {
        HttpResponse response = new V1ConfigErrors().failed(CALL, new CairnException(code, "why"));

        assertThat(response.status()).isEqualTo(code == ErrorCode.CONFLICT ? 500 : STATUSES.get(code));
        assertThat(response.bodyText()).isEqualTo("caused: why;");
        assertThat(head(response)).contains("Content-Type: text/plain;charset=UTF-8\r\n");
    }

    @Test
    void aRefusalOfTheParameterCheckStandsForItself() {
        HttpResponse response =
                new V1ConfigErrors().failed(CALL, ParameterException.refused("dataId", "it is too odd."));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.bodyText()).isEqualTo("Param 'dataId' is illegal, it is too odd.\r\n");
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeHasItsStatusInTheRegistryOfVersionOne(ErrorCode code) {
        HttpResponse response = new V1NamingErrors(container).failed(CALL, new CairnException(code, "why"));

        assertThat(response.status()).isEqualTo(STATUSES.get(code));
        if (code == ErrorCode.INTERNAL) {
            assertThat(response.bodyText()).contains("\"message\":\"Server failed, caused: why;\"");
        } else {
            assertThat(response.bodyText()).isEqualTo("why");
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyFaultHasItsWordsInTheRegistryOfVersionOne(NamingException.Fault fault) {
        HttpResponse response = new V1NamingErrors(container).failed(CALL, new NamingException(fault, "why"));

        switch (fault) {
            case MALFORMED_SERVICE_NAME -> {
                assertThat(response.status()).isEqualTo(400);
                assertThat(response.bodyText()).contains("Service name filter error,caused: why;");
            }
            case METADATA_FORMAT -> {
                assertThat(response.status()).isEqualTo(500);
                assertThat(response.bodyText()).contains("Server failed, caused: ErrCode:400, ErrMsg:why;caused: why;");
            }
            case BEAT_FORMAT -> {
                assertThat(response.status()).isEqualTo(500);
                assertThat(response.bodyText()).contains("Server failed, caused: why;");
            }
            default -> {
                assertThat(response.status()).isEqualTo(400);
                assertThat(response.bodyText()).isEqualTo("why");
            }
        }
    }

    @Test
    void aPathOfTheRegistryThatDoesNotExistIsNamed() {
        HttpResponse response = new V1NamingErrors(container).wrongMethod(CALL, "GET");

        assertThat(response.status()).isEqualTo(501);
        assertThat(response.bodyText()).contains("no such api:PATCH:/nacos/x");
    }

    @Test
    void theJsonOfTheContainerNamesTheMethodsThatAPathHas() {
        HttpResponse response = container.wrongMethod(CALL, "GET, POST");

        assertThat(response.status()).isEqualTo(405);
        assertThat(head(response)).contains("Allow: GET, POST\r\n");
        assertThat(response.bodyText()).contains("Request method 'PATCH' not supported");
    }

    private static String head(HttpResponse response) {
        return new String(response.head(), StandardCharsets.ISO_8859_1);
    }
}
