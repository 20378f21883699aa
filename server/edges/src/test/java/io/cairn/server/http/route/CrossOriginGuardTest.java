package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.HttpRequest;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrossOriginGuardTest {

    private final CrossOriginGuard local = new CrossOriginGuard(true, Set.of());

    private static HttpRequest call(String method, String... headerLines) {
        Map<String, String> headers = Arrays.stream(headerLines)
                .map(line -> line.split(": ", 2))
                .collect(Collectors.toMap(
                        line -> line[0],
                        line -> line[1],
                        (a, b) -> b,
                        () -> new TreeMap<>(String.CASE_INSENSITIVE_ORDER)));
        return HttpRequest.to(method, "/nacos/v1/cs/configs", headers::get, new byte[0], "127.0.0.1", Runnable::run);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:8848",
                "127.0.0.1",
                "localhost:8848",
                "LOCALHOST",
                "localhost.:8848",
                "app.localhost:8848",
                "[::1]:8848",
                "[::1]",
                "10.1.2.3:8848",
                "cairn",
                "cairn:8848",
                "host.docker.internal:8848",
            })
    void namesThatNoStrangerCanGiveAreTaken(String host) {
        assertThat(local.objection(call("POST", "Host: " + host))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example:8848",
                "evil.example",
                "EVIL.example.:80",
                "127.0.0.1.evil.example:8848",
                "127.0.0.1.nip.io",
                "localhost.evil.example",
                "1.2.3.4.5",
                "internal.evil.example",
                "evil.example:8848:127",
                "evil.localhost.example",
                "notlocalhost.com",
            })
    void namesThatMayLeadElsewhereTooAreNot(String host) {
        assertThat(local.objection(call("GET", "Host: " + host)))
                .contains("Host '" + host + "'")
                .contains("cairn.auth.trusted-hosts");
        assertThat(new CrossOriginGuard(false, Set.of()).objection(call("GET", "Host: " + host)))
                .isNull();
        assertThat(new CrossOriginGuard(true, Set.of("*")).objection(call("GET", "Host: " + host)))
                .isNull();
    }

    @Test
    void trustedNamesAreTaken() {
        CrossOriginGuard pages = new CrossOriginGuard(true, Set.of(" Cairn.Example "));

        assertThat(pages.objection(call("POST", "Host: cairn.example:8848"))).isNull();
        assertThat(pages.objection(call("POST", "Host: cairn.example", "Origin: https://CAIRN.example")))
                .isNull();
        assertThat(pages.objection(call("POST", "Host: 127.0.0.1:8848", "Origin: https://cairn.example:7443")))
                .isNull();
        assertThat(pages.objection(call("POST", "Host: not-cairn.example"))).isNotNull();
        assertThat(pages.objection(call("POST", "Host: cairn.example", "Origin: https://x.cairn.example")))
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cairn.example",
                "CAIRN.example.",
                "cairn.example:8848",
                "https://cairn.example",
                "https://cairn.example:7443/nacos/"
            })
    void aNameIsTrustedHoweverItIsGiven(String given) {
        CrossOriginGuard pages = new CrossOriginGuard(true, Set.of(given));

        assertThat(pages.objection(call("GET", "Host: cairn.example:8848"))).isNull();
        assertThat(pages.objection(call("GET", "Host: evil.example"))).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, http://127.0.0.1:8848, , , true",
        "POST, http://127.0.0.1:8848, same-origin, cors, true",
        "POST, , same-origin, cors, true",
        "POST, , none, navigate, true",
        "POST, chrome-extension://abc, none, cors, true",
        "POST, , , , true",
        "GET, , cross-site, navigate, true",
        "GET, , same-site, navigate, true",
        "HEAD, , cross-site, navigate, true",
        "POST, http://evil.example, , , false",
        "POST, http://evil.example, cross-site, navigate, false",
        "POST, https://127.0.0.1:8848.evil.example, , , false",
        "POST, http://127.0.0.1, , , false",
        "POST, http://127.0.0.1:8849, , , false",
        "POST, http://localhost:3000, same-site, cors, false",
        "POST, 'null', , , false",
        "POST, 'null', cross-site, navigate, false",
        "POST, , cross-site, no-cors, false",
        "POST, , cross-site, navigate, false",
        "DELETE, http://evil.example, cross-site, cors, false",
        "GET, http://evil.example, , , false",
        "GET, , cross-site, no-cors, false",
        "GET, , cross-site, websocket, false",
        "GET, , anything, , false",
    })
    void distinguishesForeignPagesFromOwnOnes(String method, String origin, String site, String mode, boolean isTaken) {
        String[] headers = Map.of("Origin", text(origin), "Sec-Fetch-Site", text(site), "Sec-Fetch-Mode", text(mode))
                .entrySet()
                .stream()
                .filter(header -> !header.getValue().isEmpty())
                .map(header -> header.getKey() + ": " + header.getValue())
                .toArray(String[]::new);
        String[] all = Arrays.copyOf(headers, headers.length + 1);
        all[headers.length] = "Host: 127.0.0.1:8848";

        assertThat(local.objection(call(method, all)) == null).isEqualTo(isTaken);
        assertThat(new CrossOriginGuard(false, Set.of()).objection(call(method, all)) == null)
                .isEqualTo(isTaken);
    }

    private static String text(String value) {
        return value == null ? "" : value;
    }

    @Test
    void aProxyMayNameThePortThatAnOriginLeavesOut() {
        CrossOriginGuard behindProxy = new CrossOriginGuard(false, Set.of());

        assertThat(behindProxy.objection(call("POST", "Host: cairn.example:443", "Origin: https://cairn.example")))
                .isNull();
        assertThat(behindProxy.objection(call("POST", "Host: cairn.example:80", "Origin: http://cairn.example")))
                .isNull();
        assertThat(behindProxy.objection(call("POST", "Host: cairn.example:80", "Origin: https://cairn.example")))
                .isNotNull();
    }

    @Test
    void acceptsClientsWithoutBrowserHeaders() {
        assertThat(local.objection(call("POST"))).isNull();
        assertThat(local.objection(call("POST", "User-Agent: Nacos-Java-Client:v2.5.1", "Host: 127.0.0.1:8848")))
                .isNull();
    }
}
