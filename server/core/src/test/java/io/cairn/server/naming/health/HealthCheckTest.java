package io.cairn.server.naming.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HealthCheckTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"TCP\"}",
                "{\"type\":\"NONE\"}",
                "{\"type\":\"HTTP\",\"path\":\"/health\",\"headers\":\"k:v|k2:v2\",\"expectedResponseCode\":204}",
                "{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":\"p\",\"cmd\":\"select 1\"}",
                "{\"type\":\"GRPC\",\"service\":\"orders.Orders\"}",
            })
    void jsonIsWrittenAsItWasRead(String json) {
        HealthCheck check = HealthCheck.fromJson(json);

        assertThat(check.toJson()).isEqualTo(json);
        assertThat(HealthCheck.fromJson(check.toJson())).isEqualTo(check);
    }

    @Test
    void fieldsWithADefaultMayBeAbsentOrNull() {
        assertThat(HealthCheck.fromJson("{\"type\":\"HTTP\"}")).isEqualTo(new HealthCheck.Http("", "", 200));
        assertThat(HealthCheck.fromJson("{\"type\":\"HTTP\",\"path\":null,\"expectedResponseCode\":null}"))
                .isEqualTo(new HealthCheck.Http("", "", 200));
        assertThat(HealthCheck.fromJson("{\"type\":\"GRPC\"}")).isEqualTo(new HealthCheck.Grpc(""));
        assertThat(HealthCheck.fromJson("{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":\"\"}"))
                .isEqualTo(new HealthCheck.Mysql("u", "", "show global variables where variable_name='read_only'"));
    }

    @Test
    void fieldsThatATypeDoesNotKnowAreIgnored() {
        assertThat(HealthCheck.fromJson("{\"type\":\"TCP\",\"path\":1,\"other\":{}}"))
                .isEqualTo(HealthCheck.TCP);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"type\":\"UDP\"}; type: UDP (expected: one of [TCP, HTTP, MYSQL, GRPC, NONE])",
                "{\"type\":\"tcp\"}; type: tcp (expected: one of",
                "{\"type\":5}; type: no text (expected: one of",
                "{}; type: missing (expected: one of",
                "[]; healthChecker: no JSON object (expected: an object such as",
                "5; healthChecker: no JSON object (expected: an object such as",
                "{\"type\":; healthChecker: not valid JSON at column",
                "TCP; healthChecker: not valid JSON at column",
                "{\"type\":\"MYSQL\",\"pwd\":\"p\"}; user: missing (expected: a text)",
                "{\"type\":\"MYSQL\",\"user\":\"u\"}; pwd: missing (expected: a text)",
                "{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":7}; pwd: no text (expected: a text)",
                "{\"type\":\"MYSQL\",\"user\":\" \",\"pwd\":\"p\"}; user: blank (expected: the name",
                "{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":\"p\",\"cmd\":\"\"}; cmd: blank (expected: an SQL",
                "{\"type\":\"HTTP\",\"path\":{}}; path: no text (expected: a text)",
                "{\"type\":\"HTTP\",\"path\":\"/a b\"}; path: a blank or control character at 2",
                "{\"type\":\"HTTP\",\"path\":\"/a\\r\\nX:1\"}; path: a blank or control character at 2",
                "{\"type\":\"HTTP\",\"expectedResponseCode\":\"200\"}; expectedResponseCode: no whole number",
                "{\"type\":\"HTTP\",\"expectedResponseCode\":99}; expectedResponseCode: 99 (expected: 100-599)",
                "{\"type\":\"HTTP\",\"headers\":\"nocolon\"}; headers: no name in front of a colon in part 1",
                "{\"type\":\"HTTP\",\"headers\":\"a:b|:c\"}; headers: no name in front of a colon in part 2",
                "{\"type\":\"HTTP\",\"headers\":\"a:b\\nc\"}; headers: the value of a (expected: printable",
                "{\"type\":\"HTTP\",\"headers\":\"Content-Length:5\"}; headers: Content-Length (expected: one that",
                "{\"type\":\"GRPC\",\"service\":1}; service: no text (expected: a text)",
            })
    void refusesMalformedFieldByName(String json, String message) {
        assertThatThrownBy(() -> HealthCheck.fromJson(json)).isInstanceOfSatisfying(CairnException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(e.text()).startsWith(message).contains("(expected: ");
        });
    }

    @ParameterizedTest
    @CsvSource({"path, 1024", "headers, 4096", "user, 128", "pwd, 512", "cmd, 2048", "service, 512", "other, 32768"})
    void refusesTooLongField(String field, int max) {
        String type =
                field.equals("service") ? "GRPC" : field.equals("path") || field.equals("headers") ? "HTTP" : "MYSQL";
        String user = field.equals("user") ? "" : "\"user\":\"u\",";
        String pwd = field.equals("pwd") ? "" : "\"pwd\":\"p\",";
        String json = "{\"type\":\"" + type + "\"," + user + pwd + "\"" + field + "\":\"" + "x".repeat(max + 1) + "\"}";

        assertThatThrownBy(() -> HealthCheck.fromJson(json)).hasMessageContaining("(expected: " + max + " at most)");
    }

    @Test
    void secretsAreSeenInTheJsonOnly() {
        HealthCheck database = HealthCheck.fromJson("{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":\"s3cret\"}");
        HealthCheck get = HealthCheck.fromJson("{\"type\":\"HTTP\",\"headers\":\"Authorization:Bearer s3cret\"}");

        assertThat(database.toJson()).contains("s3cret");
        assertThat(get.toJson()).contains("s3cret");
        assertThat(database.toString() + get).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":s3cret}",
                "{\"type\":\"MYSQL\",\"user\":\"u\",\"pwd\":\"s3cret",
                "s3cret",
                "{\"type\":\"HTTP\",\"headers\":\"s3cret\"}",
                "{\"type\":\"HTTP\",\"headers\":\"Authorization:s3cret\\u0000\"}",
            })
    void anErrorRepeatsNoSecret(String json) {
        CairnException error = catchThrowableOfType(CairnException.class, () -> HealthCheck.fromJson(json));

        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain("s3cret");
    }

    @Test
    void jsonIsAsciiForAnyContent() {
        HealthCheck check = new HealthCheck.Mysql("Jürgen", "ключ", "select '✓'");

        assertThat(check.toJson()).isASCII();
        assertThat(HealthCheck.fromJson(check.toJson())).isEqualTo(check);
    }

    @Test
    void headersAreTakenApart() {
        assertThat(new HealthCheck.Http("", "k:v| k2 : v:2 ||", 200).headerFields())
                .isEqualTo(List.of(new HealthCheck.Http.Header("k", "v"), new HealthCheck.Http.Header("k2", "v:2")));
        assertThat(new HealthCheck.Http("", "", 200).headerFields()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', /", "/health, /health", "health?deep=1, /health?deep=1", "http://other/x, /http://other/x"})
    void aPathNeverLeavesTheTarget(String path, String target) {
        assertThat(new HealthCheck.Http(path, "", 200).requestTarget()).isEqualTo(target);
    }
}
