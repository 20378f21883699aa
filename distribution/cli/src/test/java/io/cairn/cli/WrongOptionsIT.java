package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.cli.CairnCommandIT.Answer;
import io.cairn.server.CairnServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options, arguments and variables with values that cannot be meant: one line names each, and no stack trace is printed. */
class WrongOptionsIT {

    private static CairnServer server;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        server = CairnServer.builder().temporary().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Answer cairn(String... words) {
        return CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), "y", words);
    }

    private static void isUsage(Answer answer, String beginning) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(2);
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err()).startsWith("cairn: " + beginning).hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:99999",
                "127.0.0.1:0",
                "127.0.0.1:abc",
                "127.0.0.1:",
                "",
                " ",
                "http://",
                "ftp://x",
                "::1",
                "a b",
                "http://host:8848/nacos?x=1"
            })
    void reportsAnInvalidAddress(String address) {
        String said = ": '" + address + "' (expected: host:port or URL, such as ";

        isUsage(cairn("-s", address, "config", "list"), "--server" + said);
        isUsage(cairn("-s", address, "doctor"), "--server" + said);
        if (!address.isBlank()) {
            isUsage(CairnCommandIT.run(Map.of("CAIRN_SERVER", address), "", "config", "list"), "CAIRN_SERVER" + said);
        }
    }

    @Test
    void anUnknownCommandIsNamedWithThoseThatExist() {
        isUsage(cairn("frobnicate"), "unknown command 'frobnicate' (expected: config, gray, service, namespace, ");
        isUsage(cairn("help"), "unknown command 'help' (expected: config, gray, service, namespace, ");
        isUsage(cairn("servce", "list"), "unknown command 'servce' (expected: config, gray, service, ");
        assertThat(cairn("config", "lst").err())
                .startsWith("cairn: unknown command 'lst' (expected: ")
                .contains("; did you mean list? (cairn config --help tells more)");
        isUsage(cairn("nodes", "drian", "x"), "unknown command 'drian' (expected: ");
    }

    @Test
    void anUnknownNamespaceIsNamed() {
        Answer list = cairn("-n", "nosuch", "config", "list");
        assertThat(list.status()).isOne();
        assertThat(list.err())
                .isEqualTo("cairn: there is no namespace 'nosuch' ('cairn namespace list' shows those that exist)\n");
        Answer absent = cairn("-n", "nosuch", "service", "instances", "orders");
        assertThat(absent.status()).isOne();
        assertThat(absent.err()).contains("there is no namespace 'nosuch'");
        assertThat(cairn("-n", "nosuch", "config", "publish", "typo").err())
                .as("a content that no client of the intended namespace reads")
                .contains("there is no namespace 'nosuch'");
        assertThat(cairn("namespace", "create", "present").status()).isZero();
        assertThat(cairn("-n", "present", "config", "list").err()).isEmpty();
        assertThat(cairn("-n", "public", "service", "list", "none").err()).isEmpty();
    }

    @Test
    void aRefusedContentIsNamedByItsSource() throws Exception {
        Answer typed = CairnCommandIT.run(
                Map.of("CAIRN_SERVER", server.address()), "{", "config", "publish", "a.json", "--validate");
        assertThat(typed.status()).isOne();
        assertThat(typed.err()).startsWith("cairn: standard input: line 1").hasLineCount(1);
        Path file = Files.writeString(folder.resolve("b.json"), "{");
        assertThat(cairn("config", "publish", "b.json", "--validate", "-f", file.toString())
                        .err())
                .startsWith("cairn: " + file + ": line 1")
                .hasLineCount(1);
    }

    @Test
    void anUnhealthyInstanceIsListedWithTheReason() throws Exception {
        HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://" + server.address()
                                                        + "/nacos/v3/admin/ns/instance?serviceName=ill&ip=10.0.0.9&port=80&healthy=false"))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        Answer listed = cairn("service", "instances", "ill");

        assertThat(listed.out())
                .as(listed.toString())
                .contains("WHY")
                .containsPattern("10\\.0\\.0\\.9:80 .*false .*(heartbeats|set by its client or an operator)");
    }

    @Test
    void aPasswordInAnAddressIsNotShown() {
        isUsage(cairn("-s", "http://me:hidden@host:1", "config", "list"), "--server: 'http://***@host:1' (expected: ");
    }

    @Test
    void anUnknownHostIsNamed() {
        assertThat(cairn("-s", "nosuch.invalid:8848", "config", "list"))
                .isEqualTo(new Answer(
                        1,
                        "",
                        "cairn: http://nosuch.invalid:8848/nacos: host nosuch.invalid is unknown"
                                + " (--server names host, port and context path, such as host:8848/nacos)\n"));
    }

    @Test
    void doesNotShowAnInvalidToken() throws Exception {
        for (String token : new String[] {"a-secret\nb", "a-secret b", "a-secret\u00e4"}) {
            Answer answer = CairnCommandIT.run(
                    Map.of("CAIRN_SERVER", server.address(), "CAIRN_TOKEN", token), "", "config", "list");
            isUsage(answer, "CAIRN_TOKEN: ");
            assertThat(answer.err())
                    .contains("(expected: one token on one line)")
                    .doesNotContain("secret");
        }
        assertThat(CairnCommandIT.run(
                                Map.of("CAIRN_SERVER", server.address(), "CAIRN_TOKEN", " "), "", "config", "list")
                        .status())
                .isZero();
        Path file = Files.writeString(folder.resolve("token"), "a-secret\nb");
        Answer answer = cairn("--token-file", file.toString(), "config", "list");
        isUsage(answer, "--token-file " + file + ": ");
        assertThat(answer.err()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--timeout 0 config list | --timeout: '0' (expected: a whole number of seconds, 1-86400)",
                "--timeout -1 config list | --timeout: '-1' (expected: a whole number of seconds, 1-86400)",
                "--timeout abc config list | --timeout: 'abc' (expected: a whole number of seconds, 1-86400)",
                "config list --limit abc | --limit: 'abc' (expected: a whole number, at least 1)",
                "config watch x --count -1 | --count: '-1' (expected: a whole number, at least 0)",
                "config history x --nid abc | --nid: 'abc' (expected: the number of a change, at least 1,",
                "config rollback x abc | NID: 'abc' (expected: the number of a change, at least 1,",
                "config diff x --from abc | --from: 'abc' (expected: the number of a change, at least 1, or present)",
                "service register x --ip 1.1.1.1 --port abc | --port: 'abc' (expected: 0-65535)",
                "service deregister x --ip 1.1.1.1 --port 65536 | --port: '65536' (expected: 0-65535)",
                "service register x --ip 1.1.1.1 --port 1 --weight abc | --weight: 'abc' (expected: a number, 0-10000)",
                "service register x --ip 1.1.1.1 --port 1 --weight 10001 | --weight: '10001' (expected: a number, 0-10000)",
                "service register x --ip 1.1.1.1 --port 1 --for -5 | --for: '-5' (expected: a whole number of seconds,",
                "service register x --ip '' --port 1 | --ip: empty",
                "service instances '' | SERVICE is missing",
                "config publish '' | DATA_ID is missing",
                "config rollback x '' | NID: '' (expected: ",
                "namespace create '' | ID is missing",
                "user create '' | NAME is missing",
                "backup '' | FILE is missing",
                "config publish x --expect-md5 '' | --expect-md5: empty"
            })
    void aValueOutOfItsRangeIsNamed(String words, String said) {
        String[] split = words.split(" ");
        for (int i = 0; i < split.length; i++) {
            split[i] = split[i].equals("''") ? "" : split[i];
        }
        isUsage(cairn(split), said);
    }

    @Test
    void refusalsOfTheServerNameOptions() {
        assertThat(cairn("service", "register", "x", "--ip", "1.1.1.1", "--port", "1", "--cluster", "a b!")
                        .err())
                .startsWith("cairn: Param '--cluster' is illegal");
        assertThat(cairn("config", "list", "-n", "bad ns!").err()).startsWith("cairn: Param '--namespace' is illegal");
        assertThat(cairn("config", "publish", "x", "-g", "<b>", "--type", "text")
                        .err())
                .doesNotContain("&lt;")
                .doesNotContain("&#39;")
                .hasLineCount(1);
    }

    @Test
    void aMissingFileOfCertificatesIsNamed() {
        assertThat(cairn("--ca-file", "nofile", "config", "list"))
                .isEqualTo(new Answer(1, "", "cairn: --ca-file: nofile: no such file\n"));
    }

    @Test
    void writesNoArchiveWithoutMatches() {
        Path file = folder.resolve("out.zip");

        assertThat(cairn("config", "export", file.toString(), "-g", "nosuch"))
                .isEqualTo(new Answer(
                        1,
                        "",
                        "cairn: no configuration of namespace public, --group nosuch matches; nothing was written\n"));
        assertThat(cairn("config", "export", file.toString(), "--data-id", "nosuch*")
                        .status())
                .isOne();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderIsNoFileToWrite() {
        for (String[] words : new String[][] {{"backup"}, {"config", "export"}}) {
            assertThat(cairn(Stream.concat(Stream.of(words), Stream.of(folder.toString()))
                            .toArray(String[]::new)))
                    .isEqualTo(new Answer(1, "", "cairn: " + folder + ": a folder (expected: a file)\n"));
        }
    }

    @Test
    void aFaultIsOneLineWithItsPlace() {
        assertThat(Cairn.said(new IllegalStateException("first\nsecond")))
                .contains("please report it: java.lang.IllegalStateException: first second at ")
                .contains("WrongOptionsIT.java")
                .hasLineCount(1);
    }
}
