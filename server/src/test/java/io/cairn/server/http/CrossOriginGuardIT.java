package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests from web pages of other sites to a server without logins on the machine of the browser's user. */
class CrossOriginGuardIT {

    private static final String CONFIGS = "/nacos/v1/cs/configs";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static Answer send(String method, String host, String target, String form, String... headerLines) {
        String lines = headerLines.length == 0 ? "" : String.join("\r\n", headerLines) + "\r\n";
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            return http.send(method + ' ' + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + lines
                            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length()
                            + "\r\n\r\n" + form)
                    .answer();
        }
    }

    private static String own() {
        return "127.0.0.1:" + cairn.server().httpPort();
    }

    private static int read(String dataId) {
        return send("GET", own(), CONFIGS + "?group=g&dataId=" + dataId, "").status();
    }

    @Test
    void refusesAFormOfAnotherSite() {
        Answer byForm = send("POST", own(), CONFIGS, "dataId=csrf&group=g&content=x", "Origin: http://evil.example");
        Answer byScript = send(
                "POST",
                own(),
                CONFIGS,
                "dataId=csrf&group=g&content=x",
                "Origin: http://localhost:3000",
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Mode: no-cors");
        Answer register = send(
                "POST",
                own(),
                "/nacos/v3/client/ns/instance",
                "serviceName=s&ip=6.6.6.6&port=1",
                "Origin: null",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: navigate");

        assertThat(byForm.status()).isEqualTo(403);
        assertThat(byForm.text())
                .contains("a page of another site sent this request")
                .contains("cairn.auth.trusted-hosts");
        assertThat(byScript.status()).isEqualTo(403);
        assertThat(register.status()).isEqualTo(403);
        assertThat(read("csrf")).isEqualTo(404);
    }

    @Test
    void refusesAForeignHostNameThatResolvesToThisServer() {
        send("POST", own(), CONFIGS, "dataId=secret&group=g&content=s3cret");

        Answer rebound = send("GET", "evil.example:8848", CONFIGS + "?dataId=secret&group=g", "");
        Answer publish = send(
                "POST",
                "evil.example:8848",
                CONFIGS,
                "dataId=rebound&group=g&content=x",
                "Origin: http://evil.example:8848",
                "Sec-Fetch-Site: same-origin");

        assertThat(rebound.status()).isEqualTo(403);
        assertThat(rebound.text())
                .contains("Host 'evil.example:8848'")
                .contains("cairn.auth.trusted-hosts")
                .doesNotContain("s3cret");
        assertThat(publish.status()).isEqualTo(403);
        assertThat(read("rebound")).isEqualTo(404);
    }

    @Test
    void servesTheConsoleClientsAndLinks() {
        String port = ":" + cairn.server().httpPort();
        Answer console = send(
                "POST",
                "localhost" + port,
                CONFIGS,
                "dataId=own&group=g&content=x",
                "Origin: http://localhost" + port,
                "Sec-Fetch-Site: same-origin",
                "Sec-Fetch-Mode: cors");
        Answer link = send(
                "GET",
                own(),
                CONFIGS + "?dataId=own&group=g",
                "",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: navigate");
        Answer probe =
                send("GET", "evil.example", "/nacos/v1/console/health/liveness", "", "Origin: http://evil.example");

        assertThat(console.text()).isEqualTo("true");
        assertThat(link.text()).isEqualTo("x");
        assertThat(probe.text()).isEqualTo("OK");
    }
}
