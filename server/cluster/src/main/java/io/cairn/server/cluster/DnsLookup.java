package io.cairn.server.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;

/**
 * Resolves one name, such as a headless service of Kubernetes. All nodes have the same ports.
 *
 * @param name with the HTTP port of all nodes
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
