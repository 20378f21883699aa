package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OwnAddressTest {

    private static final List<MemberAddress> NO_LIST = List.of();

    private final Map<String, String> settings = new HashMap<>();
    private final List<MachineInterface> interfaces = new ArrayList<>();
    private final Map<String, List<InetAddress>> names = new HashMap<>();

    @BeforeEach
    void machineWithLoopbackABridgeAndTwoNetworks() throws Exception {
        interfaces.add(port("lo", 1, "127.0.0.1", "::1"));
        interfaces.add(port("docker0", 4, "172.17.0.1"));
        interfaces.add(port("eth0", 2, "fe80::1", "203.0.113.5", "2001:db8::5", "10.0.0.5"));
        interfaces.add(port("eth1", 3, "192.168.7.5"));
    }

    private static MachineInterface port(String name, int index, String... addresses) throws UnknownHostException {
        List<InetAddress> all = new ArrayList<>();
        for (String address : addresses) {
            all.add(InetAddress.getByName(address));
        }
        return new MachineInterface(name, index, all);
    }

    private String find(List<MemberAddress> listed) {
        OwnAddress.Machine machine = new OwnAddress.Machine() {
            @Override
            public List<MachineInterface> interfaces() {
                return interfaces;
            }

            @Override
            public String hostName() {
                return "node-5.example";
            }
        };
        return new OwnAddress(OwnAddress.Preferences.read(settings::get), machine, this::resolve).find(listed, 8848);
    }

    private List<InetAddress> resolve(String host) throws UnknownHostException {
        if (names.containsKey(host)) {
            return names.get(host);
        }
        if (host.endsWith(".example")) {
            throw new UnknownHostException(host);
        }
        return List.of(InetAddress.getByName(host));
    }

    @Test
    void addressThatIsSetComesBeforeAllElse() {
        settings.put("nacos.inetutils.ip-address", " 198.51.100.9 ");
        settings.put("nacos.inetutils.prefer-hostname-over-ip", "true");
        assertThat(find(List.of(MemberAddress.of("10.0.0.5", 8848)))).isEqualTo("198.51.100.9");
    }

    @Test
    void listedAddressOfThisMachineComesBeforeTheOneOfAnInterface() {
        assertThat(find(List.of(MemberAddress.of("10.0.0.4", 8848), MemberAddress.of("203.0.113.5", 8848))))
                .isEqualTo("203.0.113.5");
        settings.put("nacos.inetutils.prefer-hostname-over-ip", "true");
        settings.put("nacos.inetutils.ignored-interfaces", "eth0");
        assertThat(find(List.of(MemberAddress.of("203.0.113.5", 8848)))).isEqualTo("203.0.113.5");
    }

    @Test
    void listedHostNameOfThisMachineIsTakenAsItIsWritten() throws Exception {
        names.put("a.example", List.of(InetAddress.getByName("10.0.0.4")));
        names.put("b.example", List.of(InetAddress.getByName("192.168.7.5")));
        assertThat(find(List.of(
                        MemberAddress.of("unknown.example", 8848),
                        MemberAddress.of("a.example", 8848),
                        MemberAddress.of("b.example", 8848))))
                .isEqualTo("b.example");
    }

    @Test
    void ownPortDistinguishesListedNodesOfOneMachine() {
        assertThat(find(List.of(MemberAddress.of("127.0.0.1", 8858), MemberAddress.of("10.0.0.5", 8848))))
                .isEqualTo("10.0.0.5");
        // Without it the list is refused later, with this machine's address in it.
        assertThat(find(List.of(MemberAddress.of("127.0.0.1", 8858)))).isEqualTo("127.0.0.1");
    }

    @Test
    void firstSiteLocalAddressIsTakenWhereNothingIsSet() {
        assertThat(find(NO_LIST)).isEqualTo("10.0.0.5");
        assertThat(find(List.of(MemberAddress.of("10.0.0.4", 8848)))).isEqualTo("10.0.0.5");
    }

    @Test
    void hostNameIsTakenWhereItIsPreferred() {
        settings.put("nacos.inetutils.prefer-hostname-over-ip", "TRUE");
        assertThat(find(NO_LIST)).isEqualTo("node-5.example");
    }

    @Test
    void ignoredInterfacesAreNotTaken() {
        settings.put("nacos.inetutils.ignored-interfaces[0]", "eth0");
        settings.put("nacos.inetutils.ignored-interfaces[1]", "veth.*");
        assertThat(find(NO_LIST)).isEqualTo("192.168.7.5");
        settings.put("nacos.inetutils.ignored-interfaces", "eth.*, docker.*");
        assertThatThrownBy(() -> find(NO_LIST))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("nacos.inetutils.* allows")
                .hasMessageContaining("203.0.113.5 (eth0)")
                .hasMessageContaining("set nacos.inetutils.ip-address");
    }

    @Test
    void preferredNetworksNarrowTheChoice() {
        settings.put("nacos.inetutils.preferred-networks", "192.168");
        assertThat(find(NO_LIST)).isEqualTo("192.168.7.5");
        settings.put("nacos.inetutils.preferred-networks", "203\\..*,198.51");
        assertThat(find(NO_LIST)).isEqualTo("203.0.113.5");
        settings.put("nacos.inetutils.use-only-site-local-interfaces", "true");
        assertThatThrownBy(() -> find(NO_LIST)).hasMessageContaining("no address");
        settings.put("nacos.inetutils.preferred-networks", "(");
        assertThatThrownBy(() -> find(NO_LIST))
                .hasMessage("nacos.inetutils.preferred-networks: '(' (expected: a regular expression)");
    }

    @Test
    void otherAddressesFollowSiteLocalOnesAndIpv6FollowsIpv4() throws Exception {
        interfaces.clear();
        interfaces.add(port("eth0", 2, "2001:db8::5", "203.0.113.5"));
        assertThat(find(NO_LIST)).isEqualTo("203.0.113.5");
        interfaces.clear();
        interfaces.add(port("eth0", 2, "fe80::1", "2001:db8::5"));
        assertThat(find(NO_LIST)).isEqualTo("2001:db8:0:0:0:0:0:5");
    }

    @Test
    void machineWithLoopbackAloneIsRefused() throws Exception {
        interfaces.clear();
        interfaces.add(port("lo", 1, "127.0.0.1"));
        assertThatThrownBy(() -> find(NO_LIST))
                .hasMessage("This machine has no address by which other nodes reach it; it has 127.0.0.1 (lo):"
                        + " set nacos.inetutils.ip-address");
    }

    @Test
    void flagThatIsNeitherTrueNorFalseIsRefused() {
        settings.put("nacos.inetutils.prefer-hostname-over-ip", "yes");
        assertThatThrownBy(() -> find(NO_LIST))
                .hasMessage("nacos.inetutils.prefer-hostname-over-ip: 'yes' (expected: true or false)");
    }

    @Test
    void machineThatDoesNotAnswerIsRefusedWithTheSettingThatHelps() {
        settings.put("nacos.inetutils.prefer-hostname-over-ip", "true");
        OwnAddress.Machine machine = new OwnAddress.Machine() {
            @Override
            public List<MachineInterface> interfaces() throws SocketException {
                if (interfaces.isEmpty()) {
                    throw new SocketException("no netlink");
                }
                return interfaces;
            }

            @Override
            public String hostName() throws UnknownHostException {
                throw new UnknownHostException("node-5");
            }
        };
        OwnAddress own = new OwnAddress(OwnAddress.Preferences.read(settings::get), machine, this::resolve);
        assertThatThrownBy(() -> own.find(NO_LIST, 8848)).hasMessageContaining("does not know its name (node-5)");
        interfaces.clear();
        assertThatThrownBy(() -> own.find(NO_LIST, 8848)).hasMessageContaining("cannot be listed (no netlink)");
    }

    @Test
    void thisMachineHasAnInterface() throws Exception {
        assertThat(OwnAddress.Machine.THIS.interfaces())
                .anySatisfy(each -> assertThat(each.addresses()).anyMatch(InetAddress::isLoopbackAddress));
    }
}
