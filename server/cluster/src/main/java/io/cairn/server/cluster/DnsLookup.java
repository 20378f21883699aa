package io.cairn.server.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;

/**
 * All addresses of one name, such as that of a headless service of Kubernetes. The nodes have the same ports.
 *
 * @param name with the port for HTTP that all nodes have
 */
record DnsLookup(MemberAddress name, HostResolver resolver) implements MemberLookup {

    static final String SETTING = "cairn.cluster.dns";

    /** @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} if this is no {@code name[:port]} */
    static DnsLookup parse(String text, int usualPort, HostResolver resolver) {
        try {
            return new DnsLookup(MemberAddress.parse(text, usualPort), resolver);
        } catch (IllegalArgumentException e) {
            throw Settings.refused(SETTING, text, "name[:port]");
        }
    }

    /** In a fixed order, because name servers answer in any. */
    @Override
    public List<MemberAddress> read() throws IOException {
        try {
            return resolver.resolve(name.host()).stream()
                    .map(InetAddress::getHostAddress)
                    .distinct()
                    .sorted(Comparator.naturalOrder())
                    .map(address -> MemberAddress.of(address, name.httpPort()))
                    .toList();
        } catch (UnknownHostException e) {
            throw new IOException(source() + " is not known to the name server, or that does not answer", e);
        }
    }

    @Override
    public String source() {
        return SETTING + '=' + name.host();
    }

    @Override
    public boolean isComplete() {
        return false;
    }
}
