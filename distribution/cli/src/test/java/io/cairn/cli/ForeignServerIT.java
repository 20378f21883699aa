package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.cairn.cli.CairnCommandIT.Answer;
import io.cairn.server.CairnServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses at which something else than a Cairn answers. */
@Tag("full")
class ForeignServerIT {

    private static final List<String> COMMANDS = List.of(
            "config delete x",
            "config get x",
            "config watch x --count 1",
            "config publish x",
            "config publish x --expect-md5 zz",
            "config diff x --file -",
            "config history x",
            "service list",
            "service instances x",
            "service watch x --count 1",
            "service register x --ip 1.1.1.1 --port 1 --persistent",
            "service deregister x --ip 1.1.1.1 --port 1",
            "namespace list",
            "namespace create x",
            "namespace delete x",
            "user list",
            "cluster rotate-key",
            "nodes",
            "clients",
            "clients --without-login",
            "mesh proxies",
            "mesh resource cds orders",
            "nodes drain 10.0.0.1:8848",
            "audit");

    @TempDir
    Path folder;

    private static Answer ask(String server, String... words) {
        return CairnCommandIT.run(Map.of("CAIRN_SERVER", server), "y", words);
    }

    @Test
    void reportsAWrongContextPathInOneLine() {
        try (CairnServer server = CairnServer.builder().temporary().start()) {
            String wrong = server.address() + "/wrong";

            assertThat(ask(wrong, "config", "list"))
                    .isEqualTo(new Answer(
                            1,
                            "",
                            "cairn: no Cairn server answers at http://" + wrong
                                    + "/v3/admin/cs/config/list, but status 404 with the page '404 Not Found'"
                                    + " (--server names host, port and context path, such as host:8848/nacos)\n"));
            for (String words : COMMANDS) {
                assertThat(ask(wrong, words.split(" "))).as(words).satisfies(ForeignServerIT::isOneLine);
                assertThat(ask(server.address() + "/nacos/wrong", words.split(" ")))
                        .as(words)
                        .satisfies(ForeignServerIT::isOneLine);
            }
            assertThat(ask(wrong, "config", "export", folder.resolve("x.zip").toString()))
                    .satisfies(ForeignServerIT::isOneLine);
            assertThat(folder).isEmptyDirectory();
            assertThat(ask(wrong, "doctor").out())
                    .contains("no Cairn server answers at")
                    .doesNotContain("<");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | text/html | <html><head><title> Sign in </title></head></html> | the page 'Sign in'",
                "200 | text/plain | <!doctype html><p>hello | a page",
                "200 | text/plain | hello there | the text 'hello there'",
                "200 | application/json | {\"hello\":1} | a page without items",
                "200 | application/json | {\"hello\" | the text '{\"hello\"'",
                "404 | text/plain | 404 page not found | the text '404 page not found'",
                "502 | text/html | <html><center>Bad Gateway</center> | a page",
                "200 | application/json | '' | nothing in it",
                "404 | application/json | {\"hello\":1} | the text '{\"hello\":1}'",
                "302 | text/html | <a href=x> | a redirection to http://elsewhere/"
            })
    void reportsTheForeignResponse(int status, String type, String body, String found) throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        other.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", type);
            if (status == 302) {
                exchange.getResponseHeaders().set("Location", "http://elsewhere/");
            }
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        other.start();
        try {
            String address = "127.0.0.1:" + other.getAddress().getPort();

            for (String words : COMMANDS) {
                assertThat(ask(address, words.split(" "))).as(words).satisfies(ForeignServerIT::isOneLine);
            }
            for (String words : List.of("backup", "config export")) {
                String file = folder.resolve("x.zip").toString();
                assertThat(ask(address, (words + ' ' + file).split(" ")))
                        .as(words)
                        .satisfies(ForeignServerIT::isOneLine);
            }
            assertThat(folder).isEmptyDirectory();
            Answer answer = ask(address, "config", "list");

            assertThat(answer).satisfies(ForeignServerIT::isOneLine);
            assertThat(answer.err())
                    .contains("no Cairn server answers at http://" + address
                            + "/nacos/v3/admin/cs/config/list, but status " + status + " with " + found + " (");
            assertThat(ask(address, "doctor").status()).isOne();
        } finally {
            other.stop(0);
        }
    }

    private static void isOneLine(Answer answer) {
        assertThat(answer.status()).isOne();
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err())
                .startsWith("cairn: no Cairn server answers at ")
                .hasLineCount(1);
    }
}
