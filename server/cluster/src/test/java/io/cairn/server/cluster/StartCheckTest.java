package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StartCheckTest {

    private static final String LIST = "conf/cluster.conf";

    private final StartCheck check = new StartCheck(host -> {
        if (host.endsWith(".unknown")) {
            throw new UnknownHostException(host);
        }
        return List.of(InetAddress.getByName(host.equals("node-1") ? "10.0.0.1" : host));
    });

    private static List<MemberAddress> nodes(String... addresses) {
        return Stream.of(addresses)
                .map(address -> MemberAddress.parse(address, 8848))
                .toList();
    }

    @Test
    void nodeIsFoundInTheListByAddressOrByName() {
        List<MemberAddress> list = nodes("a.unknown", "10.0.0.2", "node-1:8858");
        assertThatCode(() -> check.requireSelf(LIST, list, MemberAddress.of("10.0.0.2", 8848)))
                .doesNotThrowAnyException();
        assertThatCode(() -> check.requireSelf(LIST, list, MemberAddress.of("10.0.0.1", 8858)))
                .doesNotThrowAnyException();
        assertThatCode(() -> check.requireSelf(LIST, list, MemberAddress.of("A.unknown", 8848)))
                .doesNotThrowAnyException();
    }

    @Test
    void listWithoutThisNodeIsRefused() {
        assertThatThrownBy(() ->
                        check.requireSelf(LIST, nodes("10.0.0.1", "10.0.0.2"), MemberAddress.of("10.0.0.1", 8858)))
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER))
                .hasMessage(
                        "conf/cluster.conf does not name this node, 10.0.0.1:8858, but 10.0.0.1:8848, 10.0.0.2:8848:"
                                + " add this node on every node, or set nacos.inetutils.ip-address and server.port to what is"
                                + " named");
    }

    @Test
    void neighbouringPortsOfOneHostAreRefusedWithPortsThatWork() {
        assertThatThrownBy(
                        () -> check.requireDistinctPorts(LIST, nodes("10.0.0.1:8848", "10.0.0.1:8849", "node-1:8850")))
                .isInstanceOf(CairnException.class)
                .hasMessage(
                        "conf/cluster.conf: 10.0.0.1:8848 and 10.0.0.1:8849 collide on one host: 9849 is the port for"
                                + " other nodes of the first and for gRPC of the second. Ports that are 10 apart work: 8848, 8858,"
                                + " 8868");
        assertThatThrownBy(() -> check.requireDistinctPorts(LIST, nodes("10.0.0.1:9848", "node-1:8848")))
                .hasMessageContaining("9848 is the port for HTTP of the first and for gRPC of the second");
        assertThatThrownBy(() -> check.requireDistinctPorts(
                        LIST,
                        List.of(new MemberAddress("10.0.0.1", 8848, 7000), new MemberAddress("10.0.0.1", 8858, 7000))))
                .hasMessageContaining(
                        "7000 is the port for other nodes of the first and for other nodes of the second");
    }

    @Test
    void portsThatAreProposedAndPortsOfOtherHostsAreAccepted() {
        assertThatCode(() -> check.requireDistinctPorts(LIST, nodes("10.0.0.1:8848", "10.0.0.1:8858", "node-1:8868")))
                .doesNotThrowAnyException();
        assertThatCode(() -> check.requireDistinctPorts(LIST, nodes("10.0.0.1:8848", "10.0.0.1:8850")))
                .doesNotThrowAnyException();
        assertThatCode(() ->
                        check.requireDistinctPorts(LIST, nodes("10.0.0.1:8848", "10.0.0.2:8849", "a.unknown:8849")))
                .doesNotThrowAnyException();
    }

    @Test
    void clusterWithoutASharedDatabaseIsRefused() {
        assertThatCode(() -> check.requireSharedDatabase(true, "mysql")).doesNotThrowAnyException();
        assertThatThrownBy(() -> check.requireSharedDatabase(false, null))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("spring.sql.init.platform is not set")
                .hasMessageContaining("-m standalone");
        assertThatThrownBy(() -> check.requireSharedDatabase(false, "derby")).hasMessageContaining("is 'derby'");
    }
}
