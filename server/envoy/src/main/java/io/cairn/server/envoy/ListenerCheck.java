package io.cairn.server.envoy;

import static io.cairn.server.envoy.MessageValues.has;
import static io.cairn.server.envoy.MessageValues.items;
import static io.cairn.server.envoy.MessageValues.message;
import static io.cairn.server.envoy.MessageValues.number;
import static io.cairn.server.envoy.MessageValues.text;
import static io.cairn.server.envoy.MessageValues.texts;

import com.google.protobuf.Message;
import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Checks listeners as Envoy does: addresses, equal chains, TLS. For one thread. */
final class ListenerCheck implements ResourceWalk.Visitor {

    private static final String TLS_CONTEXT = "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext";
    private static final Set<String> CERTIFICATES = Set.of(
            "tls_certificates",
            "tls_certificate_sds_secret_configs",
            "tls_certificate_provider_instance",
            "tls_certificate_certificate_provider",
            "tls_certificate_certificate_provider_instance",
            "custom_tls_certificate_selector");

    /** Each chain is compared with all before it; the proxy checks further ones. */
    private static final int MAX_COMPARED = 1_000;

    private final Report report;

    ListenerCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        switch (message.getDescriptorForType().getFullName()) {
            case "envoy.config.listener.v3.Listener" -> {
                address(message, place.field("address"));
                chains(message, place.field("filter_chains"));
            }
            case "envoy.config.listener.v3.AdditionalAddress" -> address(message, place.field("address"));
            case TLS_CONTEXT -> certificate(message, place);
            case "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig" -> secret(message, place);
            default -> {}
        }
    }

    private void address(Message holder, Place place) {
        if (has(holder, "address") && has(message(holder, "address"), "socket_address")) {
            Message socket = message(message(holder, "address"), "socket_address");
            String address = text(socket, "address");
            if (!isIp(address) && text(socket, "resolver_name").isEmpty()) {
                report.refused(
                        place.field("socket_address").field("address"),
                        "'" + address + "' (expected: an IP address, such as 0.0.0.0)");
            }
        }
    }

    static boolean isIp(String address) {
        return NetUtil.isValidIpV4Address(address) || NetUtil.isValidIpV6Address(address);
    }

    private void chains(Message listener, Place place) {
        List<Message> chains = items(listener, "filter_chains");
        if (chains.isEmpty() && isTcp(listener) && !has(listener, "default_filter_chain")) {
            report.refused(place, "is empty (expected: at least 1 chain)");
        }
        if (has(listener, "filter_chain_matcher")) {
            return;
        }
        List<List<Set<String>>> matches = new ArrayList<>();
        for (int i = 0; i < Math.min(chains.size(), MAX_COMPARED); i++) {
            List<Set<String>> match = match(message(chains.get(i), "filter_chain_match"));
            for (int other = 0; other < i; other++) {
                if (overlap(match, matches.get(other))) {
                    report.refused(
                            place.item(i),
                            "takes connections that " + place.item(other)
                                    + " takes, by the same match (expected: a filter_chain_match of its own)");
                    break;
                }
            }
            matches.add(match);
        }
    }

    private static boolean isTcp(Message listener) {
        return !has(listener, "api_listener")
                && !has(listener, "udp_listener_config")
                && has(listener, "address")
                && has(message(listener, "address"), "socket_address")
                && text(message(message(listener, "address"), "socket_address"), "protocol")
                        .equals("TCP");
    }

    /** The values of each criterion. Envoy takes the most specific match, so "any" differs from each value. */
    private static List<Set<String>> match(Message match) {
        Set<String> names = new HashSet<>();
        texts(match, "server_names").forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return List.of(
                orAny(names),
                Set.of(Long.toString(number(match, "destination_port", -1))),
                ranges(match, "prefix_ranges"),
                Set.of(text(match, "transport_protocol")),
                orAny(new HashSet<>(texts(match, "application_protocols"))),
                ranges(match, "direct_source_prefix_ranges"),
                Set.of(text(match, "source_type")),
                ranges(match, "source_prefix_ranges"),
                orAny(new HashSet<>(texts(match, "source_ports"))));
    }

    private static Set<String> orAny(Set<String> values) {
        return values.isEmpty() ? Set.of("") : values;
    }

    private static Set<String> ranges(Message match, String name) {
        Set<String> ranges = new HashSet<>();
        items(match, name).forEach(range -> ranges.add(range(range)));
        return orAny(ranges);
    }

    /** Clears the bits behind the prefix, as Envoy does for comparisons. */
    private static String range(Message range) {
        String text = text(range, "address_prefix");
        byte[] address = NetUtil.createByteArrayFromIpAddressString(text);
        long length = number(range, "prefix_len", 0);
        if (address == null) {
            return text + '/' + length;
        }
        for (int bit = (int) Math.min(length, address.length * 8L); bit < address.length * 8; bit++) {
            address[bit / 8] &= (byte) ~(0x80 >> bit % 8);
        }
        return NetUtil.bytesToIpAddress(address) + '/' + length;
    }

    private static boolean overlap(List<Set<String>> one, List<Set<String>> other) {
        for (int i = 0; i < one.size(); i++) {
            if (Collections.disjoint(one.get(i), other.get(i))) {
                return false;
            }
        }
        return true;
    }

    private void certificate(Message tls, Place place) {
        Message common = message(tls, "common_tls_context");
        if (CERTIFICATES.stream().noneMatch(name -> has(common, name))) {
            report.refused(
                    place.field("common_tls_context").field("tls_certificates"),
                    "is missing (expected: a certificate)");
        }
    }

    private void secret(Message config, Place place) {
        if (has(config, "sds_config") && has(message(config, "sds_config"), "ads")) {
            report.warning(
                    place.field("sds_config").field("ads"),
                    "this server has no secrets, so the proxy waits for '" + text(config, "name")
                            + "' for ever (expected: certificates as files, or another source)");
        }
    }
}
