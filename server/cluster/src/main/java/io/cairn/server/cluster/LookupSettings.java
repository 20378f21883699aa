package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.server.node.NodeTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of member discovery.
 *
 * @param memberList {@code nacos.member.list} or the value of {@code -c}
 * @param type {@code nacos.core.member.lookup.type}: {@code file}, {@code address-server}, or null for the first source with a
 *     value
 * @param addressServerUrl the path on the address server
 * @param dns a name whose addresses are the nodes
 */
public record LookupSettings(
        @Nullable String memberList,
        @Nullable String type,
        @Nullable String addressServerDomain,
        int addressServerPort,
        String addressServerUrl,
        @Nullable String dns) {

    /** The list of nodes, in the folder of the configuration. */
    public static final String FILE = "cluster.conf";

    private static final String TYPE = "nacos.core.member.lookup.type";
    private static final String FILE_TYPE = "file";
    private static final String ADDRESS_SERVER_TYPE = "address-server";
    private static final Duration ADDRESS_SERVER_TIMEOUT = Duration.ofSeconds(3);

    /** @throws CairnException {@code INVALID_PARAMETER} with the setting of an invalid value */
    public static LookupSettings read(Function<String, @Nullable String> property) {
        String type = Settings.text(property, TYPE);
        if (type != null) {
            type = type.toLowerCase(Locale.ROOT);
            if (!type.equals(FILE_TYPE) && !type.equals(ADDRESS_SERVER_TYPE)) {
                throw Settings.refused(TYPE, type, FILE_TYPE + " or " + ADDRESS_SERVER_TYPE);
            }
        }
        String domain = Settings.text(property, AddressServerLookup.DOMAIN);
        if (domain == null && ADDRESS_SERVER_TYPE.equals(type)) {
            throw Settings.refused(
                    AddressServerLookup.DOMAIN,
                    "",
                    "the host of the address server, as " + TYPE + " is " + ADDRESS_SERVER_TYPE);
        }
        String url = Settings.text(property, AddressServerLookup.URL);
        return new LookupSettings(
                Settings.text(property, MemberList.SETTING),
                type,
                domain,
                Settings.port(property, AddressServerLookup.PORT, AddressServerLookup.DEFAULT_PORT),
                url == null ? AddressServerLookup.DEFAULT_URL : url.startsWith("/") ? url : '/' + url,
                Settings.text(property, DnsLookup.SETTING));
    }

    /**
     * The first source that is set: list, file, address server, DNS, database. A {@code type} decides between file and address
     * server.
     *
     * @param configuration the folder of {@code cluster.conf}
     * @param httpPort the port of addresses without one
     */
    public MemberLookup lookup(Path configuration, int httpPort, NodeTable nodes, HostResolver resolver) {
        MemberLookup listed = listed(configuration, httpPort);
        if (listed != null) {
            return listed;
        }
        if (addressServerDomain != null) {
            return new AddressServerLookup(
                    addressServerDomain, addressServerPort, addressServerUrl, httpPort, ADDRESS_SERVER_TIMEOUT);
        }
        return dns == null ? new DatabaseLookup(nodes, httpPort) : DnsLookup.parse(dns, httpPort, resolver);
    }

    @Nullable
    MemberLookup listed(Path configuration, int httpPort) {
        if (memberList != null) {
            return MemberList.parse(memberList, httpPort);
        }
        MemberFile file = new MemberFile(configuration.resolve(FILE), httpPort);
        return FILE_TYPE.equals(type) || type == null && file.namesMembers() ? file : null;
    }
}
