package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

public final class OwnAddress {

    static final String IP_ADDRESS = "nacos.inetutils.ip-address";
    private static final String HOSTNAME_OVER_IP = "nacos.inetutils.prefer-hostname-over-ip";
    private static final String ONLY_SITE_LOCAL = "nacos.inetutils.use-only-site-local-interfaces";
    private static final String PREFERRED_NETWORKS = "nacos.inetutils.preferred-networks";
    private static final String IGNORED_INTERFACES = "nacos.inetutils.ignored-interfaces";

    private final Preferences preferences;
    private final Machine machine;
    private final HostResolver resolver;

    /**
     * @param ipAddress the address itself, if set
     * @param hostnameOverIp whether to prefer the host name
     * @param onlySiteLocal whether to require a site-local address
     * @param preferredNetworks patterns or prefixes of the only usable addresses, if any
     * @param ignoredInterfaces patterns of names of unusable interfaces
     */
    public record Preferences(
            @Nullable String ipAddress,
            boolean hostnameOverIp,
            boolean onlySiteLocal,
            List<String> preferredNetworks,
            List<String> ignoredInterfaces) {

        public Preferences {
            preferredNetworks = List.copyOf(preferredNetworks);
            ignoredInterfaces = List.copyOf(ignoredInterfaces);
        }

        /**
         * Reads {@code nacos.inetutils.*}. Both lists are comma-separated, or indexed as in
         * {@code nacos.inetutils.ignored-interfaces[0]}.
         *
         * @throws CairnException {@code INVALID_PARAMETER} with the setting of an invalid value
         */
        public static Preferences read(Function<String, @Nullable String> property) {
            return new Preferences(
                    Settings.text(property, IP_ADDRESS),
                    Settings.flag(property, HOSTNAME_OVER_IP),
                    Settings.flag(property, ONLY_SITE_LOCAL),
                    Settings.list(property, PREFERRED_NETWORKS),
                    Settings.list(property, IGNORED_INTERFACES));
        }
    }

    public interface Machine {

        Machine THIS = new Machine() {
            @Override
            public List<MachineInterface> interfaces() throws SocketException {
                return MachineInterface.ofThisMachine();
            }

            @Override
            public String hostName() throws UnknownHostException {
                return InetAddress.getLocalHost().getHostName();
            }
        };

        /** The interfaces that are up. */
        List<MachineInterface> interfaces() throws SocketException;

        String hostName() throws UnknownHostException;
    }

    public OwnAddress(Preferences preferences, Machine machine, HostResolver resolver) {
        this.preferences = preferences;
        this.machine = machine;
        this.resolver = resolver;
    }

    /**
     * The first of: the set address, the listed address of this machine, the host name if preferred, a site-local address, any
     * other but loopback; IPv4 before IPv6.
     *
     * @param listed may be empty
     * @param httpPort distinguishes nodes of one machine
     * @throws CairnException {@code INVALID_PARAMETER} without an address, with the setting to use
     */
    public String find(Collection<MemberAddress> listed, int httpPort) {
        if (preferences.ipAddress() != null) {
            return preferences.ipAddress();
        }
        List<MachineInterface> interfaces = interfaces();
        Optional<String> own = listed(listed, interfaces, httpPort);
        if (own.isPresent()) {
            return own.get();
        }
        return preferences.hostnameOverIp() ? hostName() : text(choose(interfaces));
    }

    private List<MachineInterface> interfaces() {
        try {
            return machine.interfaces();
        } catch (SocketException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "The addresses of this machine cannot be listed (" + e.getMessage() + "): set " + IP_ADDRESS,
                    e);
        }
    }

    private String hostName() {
        try {
            return machine.hostName();
        } catch (UnknownHostException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    HOSTNAME_OVER_IP + ": true, but this machine does not know its name (" + e.getMessage() + "): set "
                            + IP_ADDRESS,
                    e);
        }
    }

    /** A listed node with the own port before another one on this machine. */
    private Optional<String> listed(Collection<MemberAddress> listed, List<MachineInterface> interfaces, int httpPort) {
        Set<InetAddress> own = new HashSet<>();
        interfaces.forEach(each -> own.addAll(each.addresses()));
        return listed.stream()
                .sorted(Comparator.comparing((MemberAddress each) -> each.httpPort() != httpPort))
                .map(MemberAddress::host)
                .filter(host -> addresses(host).stream().anyMatch(own::contains))
                .findFirst();
    }

    /** Empty for an unknown name, which belongs to another machine. */
    private List<InetAddress> addresses(String host) {
        try {
            return resolver.resolve(host);
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    private InetAddress choose(List<MachineInterface> interfaces) {
        List<Pattern> ignored = patterns(IGNORED_INTERFACES, preferences.ignoredInterfaces());
        List<Pattern> networks = patterns(PREFERRED_NETWORKS, preferences.preferredNetworks());
        Stream<InetAddress> usable = interfaces.stream()
                .filter(each -> ignored.stream()
                        .noneMatch(pattern -> pattern.matcher(each.name()).matches()))
                .sorted(Comparator.comparingInt(MachineInterface::index))
                .flatMap(each -> each.addresses().stream())
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .filter(address -> networks.isEmpty() || isIn(networks, address))
                .filter(address -> !preferences.onlySiteLocal() || address.isSiteLocalAddress());
        return usable.min(Comparator.comparing((InetAddress address) -> !address.isSiteLocalAddress())
                        .thenComparing(address -> !(address instanceof Inet4Address)))
                .orElseThrow(() -> noAddress(interfaces));
    }

    private boolean isIn(List<Pattern> networks, InetAddress address) {
        String text = text(address);
        return preferences.preferredNetworks().stream().anyMatch(text::startsWith)
                || networks.stream().anyMatch(pattern -> pattern.matcher(text).matches());
    }

    private static List<Pattern> patterns(String setting, List<String> texts) {
        return texts.stream()
                .map(text -> {
                    try {
                        return Pattern.compile(text);
                    } catch (PatternSyntaxException e) {
                        throw new CairnException(
                                ErrorCode.INVALID_PARAMETER,
                                setting + ": '" + text + "' (expected: a regular expression)",
                                e);
                    }
                })
                .toList();
    }

    private CairnException noAddress(List<MachineInterface> interfaces) {
        StringBuilder found = new StringBuilder();
        for (MachineInterface each : interfaces) {
            for (InetAddress address : each.addresses()) {
                found.append(found.isEmpty() ? "" : ", ")
                        .append(text(address))
                        .append(" (")
                        .append(each.name())
                        .append(')');
            }
        }
        boolean narrowed = preferences.onlySiteLocal()
                || !preferences.preferredNetworks().isEmpty()
                || !preferences.ignoredInterfaces().isEmpty();
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                String.format(
                        Locale.ROOT,
                        "This machine has no address by which other nodes reach it%s; it has %s: set %s",
                        narrowed ? " that nacos.inetutils.* allows" : "",
                        found.isEmpty() ? "none" : found,
                        IP_ADDRESS));
    }

    /** Omits the zone of an IPv6 address, which only this machine knows. */
    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }
}
