package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The five sources of members, and which one the settings select. */
class MemberLookupTest {

    private static final int PORT = 8848;
    private static final NodeTable NO_NODES = new FixedNodeTable(List::of);
    private static final HostResolver NO_NAMES = host -> {
        throw new UnknownHostException(host);
    };

    @TempDir
    Path conf;

    private final Map<String, String> settings = new HashMap<>();

    private MemberLookup selected() {
        return LookupSettings.read(settings::get).lookup(conf, PORT, NO_NODES, NO_NAMES);
    }

    private void write(String text) throws IOException {
        Files.writeString(conf.resolve("cluster.conf"), text);
    }

    private static List<String> texts(MemberLookup lookup) throws IOException {
        return lookup.read().stream().map(MemberAddress::toString).toList();
    }

    @Test
    void selectsTheFirstSourceThatIsSet() throws Exception {
        assertThat(selected()).isInstanceOf(DatabaseLookup.class);
        settings.put("cairn.cluster.dns", "cairn.example");
        assertThat(selected()).isInstanceOf(DnsLookup.class);
        settings.put("address.server.domain", "registry.example");
        assertThat(selected()).isInstanceOf(AddressServerLookup.class);
        write("# 10.0.0.9\n\n");
        assertThat(selected()).isInstanceOf(AddressServerLookup.class);
        write("10.0.0.1\n");
        assertThat(selected()).isInstanceOf(MemberFile.class);
        settings.put("nacos.core.member.lookup.type", "Address-Server");
        assertThat(selected()).isInstanceOf(AddressServerLookup.class);
        settings.put("nacos.member.list", "10.0.0.1");
        assertThat(selected()).isInstanceOf(MemberList.class);
    }

    @Test
    void requestedFileMustExist() {
        settings.put("nacos.core.member.lookup.type", "file");
        assertThatThrownBy(() -> selected().read())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster.conf is missing");
    }

    @Test
    void refusesUnknownTypeAndAddressServerWithoutHost() {
        settings.put("nacos.core.member.lookup.type", "raft");
        assertThatThrownBy(this::selected)
                .isInstanceOf(CairnException.class)
                .hasMessage("nacos.core.member.lookup.type: 'raft' (expected: file or address-server)");
        settings.put("nacos.core.member.lookup.type", "address-server");
        assertThatThrownBy(this::selected).hasMessageContaining("address.server.domain");
        settings.put("address.server.domain", "registry.example");
        settings.put("address.server.port", "0");
        assertThatThrownBy(this::selected).hasMessage("address.server.port: '0' (expected: 1-65535)");
    }

    @Test
    void addressServerHasTheDefaultsOfNacos() {
        settings.put("address.server.domain", "registry.example");
        assertThat(selected().source()).isEqualTo("http://registry.example:8080/nacos/serverlist");
        settings.put("address.server.port", "80");
        settings.put("address.server.url", "list");
        assertThat(selected().source()).isEqualTo("http://registry.example:80/list");
    }

    @Test
    void listNamesNodesWithTheOwnPortWhereTheyHaveNone() throws Exception {
        settings.put("nacos.member.list", "10.0.0.1:8848?raft_port=7848, 10.0.0.2,,10.0.0.1");
        assertThat(texts(selected())).containsExactly("10.0.0.1:8848", "10.0.0.2:8848");
        assertThat(selected().isComplete()).isTrue();
        settings.put("nacos.member.list", "10.0.0.1:x");
        assertThatThrownBy(this::selected)
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER))
                .hasMessageContaining("nacos.member.list")
                .hasMessageContaining("'10.0.0.1:x'");
        settings.put("nacos.member.list", ",");
        assertThatThrownBy(this::selected).hasMessage("nacos.member.list: ',' (expected: ip:port,ip:port,…)");
        settings.put("nacos.member.list", " ");
        assertThat(selected()).isInstanceOf(DatabaseLookup.class);
    }

    @Test
    void fileMayHaveCommentsBlankLinesNamesAndAnyLineEnds() throws Exception {
        write(
                "\uFEFF# three nodes\r\n10.0.0.1:8848\r\n\r\n  node-2.example # the second\n10.0.0.3:8858?weight=1\n10.0.0.1");
        assertThat(texts(selected())).containsExactly("10.0.0.1:8848", "node-2.example:8848", "10.0.0.3:8858");
    }

    @Test
    void commentInAnotherEncodingDoesNoHarm() throws Exception {
        Files.write(
                conf.resolve("cluster.conf"),
                new byte[] {'#', (byte) 0xB5, (byte) 0xA5, '\n', '1', '.', '1', '.', '1', '.', '1'});
        assertThat(texts(selected())).containsExactly("1.1.1.1:8848");
    }

    @Test
    void badLineOfTheFileIsNamedWithItsNumber() throws Exception {
        write("10.0.0.1\n# none\n10.0.0.2:port\n");
        assertThatThrownBy(() -> selected().read())
                .isInstanceOf(CairnException.class)
                .hasMessage(conf.resolve("cluster.conf")
                        + ", line 3: '10.0.0.2:port' (expected: ip[:port] or host[:port])");
    }

    @Test
    void addressServerIsReadAsAFileIs() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        Map<String, String> pages = Map.of(
                "/nacos/serverlist", "10.0.0.1:8848\n10.0.0.2\n",
                "/bad", "10.0.0.1\n<html>\n",
                "/empty", "\n",
                "/large", "#".repeat(AddressServerLookup.MAX_BYTES + 1));
        server.createContext("/", exchange -> {
            String page = pages.get(exchange.getRequestURI().getPath());
            byte[] body = page == null ? new byte[0] : page.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(page == null ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            settings.put("address.server.domain", "127.0.0.1");
            settings.put(
                    "address.server.port", String.valueOf(server.getAddress().getPort()));
            assertThat(texts(selected())).containsExactly("10.0.0.1:8848", "10.0.0.2:8848");
            assertThat(selected().isComplete()).isFalse();
            assertReadFails("/bad", "line 2: '<html>'");
            assertReadFails("/empty", "names no node");
            assertReadFails("/large", "more than 65536 bytes");
            assertReadFails("/none", "status 404 (expected: 200)");
        } finally {
            server.stop(0);
        }
        assertReadFails("/nacos/serverlist", "cannot be read: java.net.ConnectException");
    }

    private void assertReadFails(String url, String message) {
        settings.put("address.server.url", url);
        assertThatThrownBy(() -> selected().read()).hasMessageContaining(url).hasMessageContaining(message);
    }

    /** The connection is accepted by the system, and then nothing follows. */
    @Test
    void timesOutOnASilentAddressServer() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            AddressServerLookup lookup =
                    new AddressServerLookup("127.0.0.1", silent.getLocalPort(), "/list", PORT, Duration.ofMillis(50));
            assertThatThrownBy(lookup::read).isInstanceOf(IOException.class);
        }
    }

    @Test
    void addressServerThatIsNoHostIsRefused() {
        assertThatThrownBy(() -> new AddressServerLookup("a b", 80, "/", PORT, Duration.ofSeconds(1)))
                .isInstanceOf(CairnException.class);
        assertThatThrownBy(() -> new AddressServerLookup("a_b", 80, "/", PORT, Duration.ofSeconds(1)))
                .hasMessageContaining("address.server.domain: 'a_b'");
    }

    @Test
    void nameInDnsGivesAllItsAddresses() throws Exception {
        HostResolver resolver = host -> {
            if (!host.equals("cairn.example")) {
                throw new UnknownHostException(host);
            }
            return List.of(
                    InetAddress.getByName("10.0.0.2"),
                    InetAddress.getByName("10.0.0.1"),
                    InetAddress.getByName("10.0.0.2"));
        };
        assertThat(texts(DnsLookup.parse("cairn.example", PORT, resolver)))
                .containsExactly("10.0.0.1:8848", "10.0.0.2:8848");
        assertThat(texts(DnsLookup.parse("cairn.example:8858", PORT, resolver)))
                .containsExactly("10.0.0.1:8858", "10.0.0.2:8858");
        assertThatThrownBy(
                        () -> DnsLookup.parse("other.example", PORT, resolver).read())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cairn.cluster.dns=other.example");
        assertThatThrownBy(() -> DnsLookup.parse("http://x", PORT, resolver))
                .hasMessage("cairn.cluster.dns: 'http://x' (expected: name[:port])");
    }

    @Test
    void databaseNamesNodesWithTheirGroupPorts() throws Exception {
        DatabaseLookup lookup = new DatabaseLookup(
                new FixedNodeTable(() -> List.of(
                        FixedNodeTable.node("10.0.0.1:8848", 9849),
                        FixedNodeTable.node("no address", 1),
                        FixedNodeTable.node("10.0.0.2:8848", 7000))),
                PORT);
        assertThat(lookup.read())
                .containsExactly(new MemberAddress("10.0.0.1", 8848, 9849), new MemberAddress("10.0.0.2", 8848, 7000));
        DatabaseLookup away = new DatabaseLookup(
                new FixedNodeTable(() -> {
                    throw new CairnException(ErrorCode.UNAVAILABLE, "the database is away");
                }),
                PORT);
        assertThatThrownBy(away::read)
                .isInstanceOf(IOException.class)
                .hasMessage("the table cairn_node cannot be read: the database is away");
    }
}
