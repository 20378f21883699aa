package io.cairn.spring.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.cairn.client.connection.ServerAddress;
import io.cairn.spring.discovery.OwnAddress.Candidate;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnAddressTest {

    private static Candidate candidate(String address, int index) throws Exception {
        InetAddress ip = InetAddress.getByName(address);
        return new Candidate(ip, index, ip.isLoopbackAddress());
    }

    @Test
    void choosesTheFirstInterfaceAndLoopbackOnlyWithoutAnother() throws Exception {
        Candidate loopback = candidate("127.0.0.1", 1);
        Candidate ethernet = candidate("10.0.0.9", 2);
        Candidate docker = candidate("172.17.0.1", 5);
        Candidate six = candidate("2001:db8::1", 2);
        Candidate linkLocal = candidate("fe80::1", 2);
        assertThat(OwnAddress.choose(List.of(docker, loopback, six, ethernet, linkLocal)))
                .isEqualTo(ethernet.address());
        assertThat(OwnAddress.choose(List.of(linkLocal, loopback, six))).isEqualTo(six.address());
        assertThat(OwnAddress.choose(List.of(loopback))).isEqualTo(loopback.address());
        assertThat(OwnAddress.choose(List.of()).isLoopbackAddress()).isTrue();
    }

    @Test
    void theWayToTheServerDecides() throws Exception {
        InetAddress own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .orElse(null);
        assumeThat(own).as("an address of this machine").isNotNull();
        // The way to an address of one's own begins with that address.
        assertThat(OwnAddress.towards(List.of(
                        ServerAddress.parse("localhost:8848", 1000, false),
                        ServerAddress.parse(own.getHostAddress() + ":8848", 1000, false))))
                .isEqualTo(own.getHostAddress());
        assertThat(OwnAddress.towards(List.of(ServerAddress.parse("no-such-host.invalid", 1000, false))))
                .doesNotStartWith("127.");
    }
}
