package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/1.1 at the level of bytes. */
class HttpProtocolIT {

    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";
    /** Answered on another thread than the connection's. */
    private static final String READINESS = "/nacos/v1/console/health/readiness";

    private static final int LONGEST_LINE = 512 * 1024;
    /** Three bytes for each byte of the content, and one megabyte for the other parameters. */
    private static final int LARGEST_BODY = 3 * 100 * 1024 + 1024 * 1024;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.config.max-content", "100KB");

    @Test
    void aConnectionServesOneRequestAfterTheOther() {
        try (RawHttp http = connect()) {
            for (int i = 0; i < 3; i++) {
                Answer answer = http.request("GET", LIVENESS).answer();
                assertThat(answer.statusLine()).isEqualTo("HTTP/1.1 200 OK");
                assertThat(answer.header("Connection")).isNull();
                assertThat(answer.text()).isEqualTo("OK");
            }
        }
    }

    @Test
    void aConnectionIsClosedWhenTheClientAsksForIt() {
        try (RawHttp http = connect()) {
            Answer answer = http.request("GET", LIVENESS, "Connection: close").answer();

            assertThat(answer.text()).isEqualTo("OK");
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void doesNotAnswerRequestsPipelinedBehindAClosingOne() {
        try (RawHttp http = connect()) {
            http.send("GET " + READINESS + " HTTP/1.1\r\nHost: cairn\r\nConnection: close\r\n\r\nGET " + LIVENESS
                    + " HTTP/1.1\r\nHost: cairn\r\n\r\n");

            assertThat(http.answer().text()).isEqualTo("OK");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void http10ClientsGetTheResponseAndTheConnectionCloses() {
        try (RawHttp http = connect()) {
            Answer answer = http.send("GET " + LIVENESS + " HTTP/1.0\r\n\r\n").answer();

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1\r\n",
                "HTTP/1.1\r\nHost: cairn\r\nHost: cairn\r\n",
                "HTTP/1.1\r\nHost: cairn\r\nhost: other\r\n",
                "HTTP/1.0\r\nHost: cairn\r\nHost: other\r\n",
                "HTTP/1.1\r\nHost: cairn, other\r\n",
                "HTTP/1.1\r\nHost: cairn other\r\n",
                "HTTP/1.1\r\nHost: cairn/nacos\r\n",
                "HTTP/1.1\r\nHost: user@cairn\r\n"
            })
    void refusesARequestWithoutOneHost(String rest) {
        try (RawHttp http = connect()) {
            Answer answer = http.send("GET " + LIVENESS + " " + rest + "\r\n").answer();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("Host: ", "expected: ");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.0\r\n",
                "HTTP/1.0\r\nHost: cairn:8848\r\n",
                "HTTP/1.1\r\nHost:\r\n",
                "HTTP/1.1\r\nHost: cairn_1:8848\r\n",
                "HTTP/1.1\r\nhost: [::1]:8848\r\n",
                "HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n"
            })
    void servesARequestWithOneHostAndAnOldOneWithout(String rest) {
        try (RawHttp http = connect()) {
            assertThat(http.send("GET " + LIVENESS + " " + rest + "\r\n")
                            .answer()
                            .text())
                    .isEqualTo("OK");
        }
    }

    @Test
    void http10ClientsMayKeepTheConnectionOpen() {
        try (RawHttp http = connect()) {
            for (int i = 0; i < 2; i++) {
                Answer answer = http.send("GET " + LIVENESS + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                        .answer();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("Connection")).isEqualTo("keep-alive");
            }
        }
    }

    @Test
    void answersPipelinedRequestsInOrder() {
        try (RawHttp http = connect()) {
            StringBuilder requests = new StringBuilder();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                switch (i % 4) {
                    case 0 -> {
                        // This request waits for the disk; those behind it do not.
                        String form = "dataId=pipelined&group=G&content=v" + i;
                        requests.append("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nContent-Length: "
                                + form.length() + "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n" + form);
                        expected.add("true");
                    }
                    case 1 -> {
                        requests.append("GET " + CONFIGS + "?dataId=pipelined&group=G HTTP/1.1\r\nHost: cairn\r\n\r\n");
                        expected.add("v" + (i - 1));
                    }
                    case 2 -> {
                        requests.append("GET " + READINESS + " HTTP/1.1\r\nHost: cairn\r\n\r\n");
                        expected.add("OK");
                    }
                    default -> {
                        requests.append("GET " + CONFIGS + "?dataId=absent&group=G HTTP/1.1\r\nHost: cairn\r\n\r\n");
                        expected.add("config data not exist\n");
                    }
                }
            }
            http.send(requests.toString());

            for (String body : expected) {
                assertThat(http.answer().text()).isEqualTo(body);
            }
        }
    }

    @Test
    void answersThousandsOfRequestsPipelinedBehindASlowOne() {
        try (RawHttp http = connect()) {
            int count = 3_500;
            http.send("GET " + READINESS + " HTTP/1.1\r\nHost: cairn\r\n\r\n"
                    + "GET /x HTTP/1.1\r\nHost: cairn\r\n\r\n".repeat(count));

            assertThat(http.answer().text()).isEqualTo("OK");
            for (int i = 0; i < count; i++) {
                assertThat(http.answer().status()).as("answer %s", i).isEqualTo(404);
            }
            assertThat(http.request("GET", LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void acceptsARequestThatArrivesByteByByte() {
        try (RawHttp http = connect()) {
            for (byte b : ("GET " + LIVENESS + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII)) {
                http.send(new byte[] {b});
            }
            assertThat(http.answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void disconnectDuringARequestDoesNotAffectOtherClients() {
        for (String part : List.of(
                "G",
                "GET /nacos",
                "POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nContent-Length: 1000\r\n\r\ndataId=half",
                "POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nda")) {
            try (RawHttp http = connect()) {
                http.send(part);
                http.halfClose();
                assertThat(http.isClosedByServer()).as(part).isTrue();
            }
            RawHttp aborted = connect().send(part);
            aborted.abort();
        }
        assertServes();
    }

    @Test
    void everyResponseHasADate() {
        Answer answer = get(LIVENESS);

        Instant date = ZonedDateTime.parse(answer.header("Date"), DateTimeFormatter.RFC_1123_DATE_TIME)
                .toInstant();
        assertThat(Duration.between(date, Instant.now()).abs()).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void answersHeadLikeGetWithoutTheBody() {
        publish("head.txt", "content=twelve bytes");
        try (RawHttp http = connect()) {
            String target = CONFIGS + "?dataId=head.txt&group=G";
            Answer get = http.request("GET", target).answer();
            Answer head = http.request("HEAD", target).answerWithoutBody();

            assertThat(head.statusLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(head.header("Content-Length")).isEqualTo("12");
            assertThat(head.header("Content-MD5")).isEqualTo(get.header("Content-MD5"));
            assertThat(head.headers().keySet()).isEqualTo(get.headers().keySet());

            assertThat(http.request("HEAD", CONFIGS + "?dataId=absent&group=G")
                            .answerWithoutBody()
                            .status())
                    .isEqualTo(404);
            // No bytes of a body follow.
            assertThat(http.request("GET", LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void refusesUnsupportedMethodsAndKeepsTheConnection() {
        try (RawHttp http = connect()) {
            for (String method : List.of("PUT", "PATCH", "TRACE", "PURGE")) {
                Answer answer =
                        http.form(method, CONFIGS, "dataId=a&group=G&content=c").answer();
                assertThat(answer.status()).as(method).isEqualTo(500);
                assertThat(answer.text()).isEqualTo("caused: Request method &#39;" + method + "&#39; not supported;");
            }
            Answer options =
                    http.form("OPTIONS", CONFIGS, "dataId=a&group=G&content=c").answer();
            assertThat(options.status()).isEqualTo(200);
            assertThat(options.header("Allow")).contains("GET", "OPTIONS");
            assertThat(options.header("Access-Control-Allow-Origin")).isNull();
            assertThat(http.request("POST", LIVENESS).answer().status()).isEqualTo(500);
            assertThat(http.request("GET", LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void escapesInputInErrorPages() {
        Answer answer = get("/nacos/<script>alert(1)</script>");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        Answer outside = get("/<script>alert(1)</script>");
        assertThat(outside.header("Content-Type")).startsWith("text/html");
        assertThat(outside.text()).doesNotContain("alert");
    }

    @Test
    void acceptsATargetInAbsoluteForm() {
        // The form that a client sends to a proxy; every server must accept it.
        assertThat(get("http://cairn:8848" + LIVENESS).text()).isEqualTo("OK");
        publish("absolute.txt", "content=c");
        assertThat(get("http://cairn" + CONFIGS + "?dataId=absolute.txt&group=G")
                        .text())
                .isEqualTo("c");
    }

    @Test
    void readsAChunkedBodyCompletely() {
        try (RawHttp http = connect()) {
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
                    + "8\r\ndataId=c\r\n"
                    + "11;extension=1\r\nhunked.txt&group=\r\n"
                    + "001\r\nG\r\n"
                    + "E\r\n&content=x%E4%\r\n"
                    + "5\r\nB8%AD\r\n"
                    + "0\r\nTrailer: ignored\r\n\r\n");
            assertThat(http.answer().text()).isEqualTo("true");

            assertThat(http.request("GET", CONFIGS + "?dataId=chunked.txt&group=G")
                            .answer()
                            .text())
                    .isEqualTo("x中");
        }
    }

    @Test
    void answersExpect100Continue() {
        try (RawHttp http = connect()) {
            String form = "dataId=expect.txt&group=G&content=c";
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nExpect: 100-continue\r\nContent-Length: "
                    + form.length() + "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n");
            assertThat(http.answer().statusLine()).isEqualTo("HTTP/1.1 100 Continue");

            assertThat(http.send(form).answer().text()).isEqualTo("true");
            assertThat(http.request("GET", LIVENESS).answer().text()).isEqualTo("OK");
        }
    }

    @Test
    void sends100ContinueAfterFormerResponses() {
        try (RawHttp http = connect()) {
            String form = "dataId=expect.txt&group=G&content=d";
            http.send("GET " + READINESS + " HTTP/1.1\r\nHost: cairn\r\n\r\nPOST " + CONFIGS
                    + " HTTP/1.1\r\nHost: cairn\r\nExpect: 100-continue\r\nContent-Length: " + form.length()
                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n");
            assertThat(http.answer().text()).isEqualTo("OK");
            assertThat(http.answer().statusLine()).isEqualTo("HTTP/1.1 100 Continue");

            assertThat(http.send(form).answer().text()).isEqualTo("true");
        }
    }

    @Test
    void refusesExpect100ContinueForATooLargeBody() {
        try (RawHttp http = connect()) {
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nExpect: 100-continue\r\nContent-Length: "
                    + (LARGEST_BODY + 1) + "\r\n\r\n");

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).contains("larger than " + LARGEST_BODY + " bytes");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void acceptsABodyOfTheLargestSize() {
        String start = "dataId=largest.txt&group=G&content=c&rest=";
        try (RawHttp http = connect()) {
            http.form("POST", CONFIGS, start + "x".repeat(LARGEST_BODY - start.length()));

            assertThat(http.answer().text()).isEqualTo("true");
        }
    }

    @Test
    void refusesALargerBodyWithItsLimitAndReadsItToTheEnd() {
        String form = "dataId=too-large.txt&group=G&content=" + "x".repeat(8 * LARGEST_BODY);
        try (RawHttp http = connect()) {
            http.form("POST", CONFIGS, form);

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(answer.text()).contains("larger than " + LARGEST_BODY + " bytes");
            assertThat(http.isClosedByServer()).isTrue();
        }
        assertThat(get(CONFIGS + "?dataId=too-large.txt&group=G").status()).isEqualTo(404);
    }

    @Test
    void refusesAChunkedBodyOnceItIsTooLarge() {
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        try (RawHttp http = connect()) {
            http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int sent = 0; sent <= 2 * LARGEST_BODY; sent += 0x10000) {
                http.send(chunk);
            }

            assertThat(http.answer().status()).isEqualTo(413);
            assertThat(http.isClosedByServer()).isTrue();
        }
        assertServes();
    }

    @Test
    void acceptsTheLongestRequestLine() {
        String start = "GET " + CONFIGS + "?dataId=absent&group=G&rest=";
        // A request of HTTP/1.0 needs no other line.
        String end = " HTTP/1.0";
        try (RawHttp http = connect()) {
            String line = start + "x".repeat(LONGEST_LINE - start.length() - end.length() - 4) + end + "\r\n\r\n";
            assertThat(line).hasSize(LONGEST_LINE);
            assertThat(http.send(line).answer().status()).isEqualTo(404);
        }
    }

    @Test
    void refusesALongerRequestLine() {
        try (RawHttp http = connect()) {
            http.request("GET", CONFIGS + "?dataId=" + "x".repeat(LONGEST_LINE + 1));

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(414);
            assertThat(answer.text())
                    .contains("longer than " + LONGEST_LINE + " bytes (limit head-bytes, cairn.limits.head-bytes)");
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void refusesTooLongHeaders() {
        try (RawHttp http = connect()) {
            http.request("GET", LIVENESS, "X: " + "x".repeat(300_000), "Y: " + "y".repeat(300_000));

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(431);
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage\r\n\r\n",
                "GET\r\n\r\n",
                "GET /nacos\r\n\r\n",
                "GET /nacos FTP/1.1\r\n\r\n",
                "GET /nacos HTTP/x.y\r\n\r\n",
                "GET /nacos HTTP/1.1\r\nHost: cairn\r\nno colon\r\n\r\n",
                "GET /nacos HTTP/1.1\r\nHost: cairn\r\nA\u0000B: c\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: many\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: -1\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
                "GET /nacos/v1/cs/health HTTP/1.1\nHost: x\n\n",
                "GET /nacos/v1/cs/health HTTP/1.1\r\nHost: cairn\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
                "POST /nacos/v1/cs/configs HTTP/1.1\r\nHost: cairn\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nx"
            })
    void refusesInputThatIsNotHttpAndCloses(String bytes) {
        try (RawHttp http = connect()) {
            Answer answer = http.send(bytes).answer();

            assertThat(answer.status()).isBetween(400, 413);
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(http.isClosedByServer()).isTrue();
        }
        assertServes();
    }

    @Test
    void refusesATlsClient() {
        byte[] clientHello = {0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03, '\r', '\n', '\r', '\n'};
        try (RawHttp http = connect()) {
            http.send(clientHello);
            http.halfClose();
            Answer answer = http.answer();
            assertThat(answer.status()).isBetween(400, 505);
        }
        assertServes();
    }

    @Test
    void randomBytesNeverStopTheServer() {
        Random random = new Random(20261121);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[1 + random.nextInt(400)];
            random.nextBytes(bytes);
            try (RawHttp http = connect()) {
                if (random.nextBoolean()) {
                    http.send("POST " + CONFIGS
                            + " HTTP/1.1\r\nHost: cairn\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                            + "Content-Length: " + bytes.length + "\r\n\r\n");
                }
                http.send(bytes);
                http.halfClose();
                // The response may be anything; the connection must end.
                http.drain();
            }
        }
        assertServes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%zz", "a%", "%-1", "%u0041"})
    void brokenPercentEncodingIsABadRequest(String value) {
        for (String parameter : List.of("dataId=" + value + "&group=G", "dataId=a&group=G&x=" + value, value + "=x")) {
            Answer query = get(CONFIGS + '?' + parameter);
            assertThat(query.status()).as(parameter).isEqualTo(400);
            assertThat(query.text()).startsWith("caused: ").contains("percent-encoded");

            Answer form = post(CONFIGS, parameter + "&content=c");
            assertThat(form.status()).as(parameter).isEqualTo(400);
            assertThat(form.text()).startsWith("caused: ").contains("percent-encoded");
        }
    }

    @Test
    void refusesANameThatIsNotUtf8() {
        assertThat(get(CONFIGS + "?dataId=%ff&group=G").text())
                .contains("dataId: byte 0 of the value (0xFF) is not UTF-8");
        assertThat(get(CONFIGS + "?dataId=%e4%b8&group=G").status()).isEqualTo(400);
    }

    @Test
    void acceptsParametersInQueryAndForm() {
        try (RawHttp http = connect()) {
            assertThat(http.request("POST", CONFIGS + "?dataId=q.txt&group=G&content=in+query", "Content-Length: 0")
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(http.form("POST", CONFIGS + "?dataId=m.txt", "group=G&content=mixed")
                            .answer()
                            .text())
                    .isEqualTo("true");
            assertThat(http.form("POST", CONFIGS + "?content=query", "dataId=b.txt&group=G&content=form")
                            .answer()
                            .text())
                    .isEqualTo("true");
        }
        assertThat(content("q.txt")).isEqualTo("in query");
        assertThat(content("m.txt")).isEqualTo("mixed");
        // As in any servlet, the query comes first.
        assertThat(content("b.txt")).isEqualTo("query");
    }

    @Test
    void usesTheFirstOfARepeatedParameter() {
        publish("first.txt", "content=one&content=two");

        assertThat(content("first.txt")).isEqualTo("one");
    }

    @Test
    void decodesNamesOfParameters() {
        assertThat(post(CONFIGS, "d%61taId=named.txt&group=G&con%74ent=c").text())
                .isEqualTo("true");

        assertThat(content("named.txt")).isEqualTo("c");
    }

    @Test
    void decodesAPlusAsABlankAndAnEscapedPlusAsAPlus() {
        publish("plus.txt", "content=a+b%2Bc%20d");

        assertThat(content("plus.txt")).isEqualTo("a b+c d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=b",
                "jdbc:mysql://db/x?ssl=false;user=u",
                "a: 1 # why",
                "x;y=z",
                "#",
                ";",
                "<a>?/\\|{}[]@!$'()*,~`^\"",
                "中文 é"
            })
    void storesUnescapedFormContentCompletely(String content) {
        // The format of curl -d.
        String sent = content.replace(' ', '+');
        publish("unescaped.txt", "content=" + sent + "&type=text");

        assertThat(content("unescaped.txt")).isEqualTo(content);
    }

    @Test
    void aSemicolonInAQueryBelongsToTheValue() {
        assertThat(get(CONFIGS + "?dataId=a;group=G").text()).contains("Required request parameter &#39;group&#39;");
    }

    @Test
    void recognizesAFormByItsTypeWithAnyParameters() {
        try (RawHttp http = connect()) {
            for (String type : List.of(
                    "application/x-www-form-urlencoded;charset=UTF-8",
                    "Application/X-WWW-Form-URLEncoded ; charset=utf-8")) {
                http.send("POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\ncontent-type: " + type
                        + "\r\ncontent-length: 33\r\n\r\ndataId=typed.txt&group=G&content=");
            }
            assertThat(http.answer().text()).isEqualTo("caused: content is blank : ;");
            assertThat(http.answer().text()).isEqualTo("caused: content is blank : ;");
        }
    }

    @Test
    void aBodyOfAnotherContentTypeIsNotAForm() {
        try (RawHttp http = connect()) {
            String body = "dataId=json.txt&group=G&content=c";
            http.send(
                    "POST " + CONFIGS + " HTTP/1.1\r\nHost: cairn\r\nContent-Type: application/json\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body);

            Answer answer = http.answer();

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text()).contains("&#39;dataId&#39;");
        }
    }

    private static RawHttp connect() {
        return RawHttp.connect(cairn.server());
    }

    private static Answer get(String target) {
        try (RawHttp http = connect()) {
            return http.request("GET", target).answer();
        }
    }

    private static Answer post(String target, String form) {
        try (RawHttp http = connect()) {
            return http.form("POST", target, form).answer();
        }
    }

    private static void publish(String dataId, String rest) {
        assertThat(post(CONFIGS, "dataId=" + dataId + "&group=G&" + rest).text())
                .isEqualTo("true");
    }

    private static String content(String dataId) {
        Answer answer = get(CONFIGS + "?dataId=" + dataId + "&group=G");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.text();
    }

    private static void assertServes() {
        assertThat(cairn.get("/v1/console/health/readiness").body()).isEqualTo("OK");
        assertThat(cairn.post("/v1/cs/configs", Map.of("dataId", "serves", "group", "G", "content", "c"))
                        .body())
                .isEqualTo("true");
    }
}
