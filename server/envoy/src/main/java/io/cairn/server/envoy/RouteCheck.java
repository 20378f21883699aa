package io.cairn.server.envoy;

import static io.cairn.server.envoy.MessageValues.has;
import static io.cairn.server.envoy.MessageValues.items;
import static io.cairn.server.envoy.MessageValues.nanos;
import static io.cairn.server.envoy.MessageValues.number;
import static io.cairn.server.envoy.MessageValues.text;
import static io.cairn.server.envoy.MessageValues.texts;

import com.google.protobuf.Message;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Checks routes, and all regular expressions, as Envoy does. For one thread. */
final class RouteCheck implements ResourceWalk.Visitor {

    private static final long MAX_WEIGHTS = 0xFFFF_FFFFL;
    private static final List<String> REWRITES = List.of("prefix_rewrite", "regex_rewrite", "path_rewrite_policy");

    private final Report report;

    RouteCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        switch (message.getDescriptorForType().getFullName()) {
            case "envoy.config.route.v3.RouteConfiguration" -> domains(message, place);
            case "envoy.config.route.v3.RouteAction" -> rewrites(message, place);
            case "envoy.config.route.v3.WeightedCluster" -> weights(message, place);
            case "envoy.config.route.v3.RetryPolicy.RetryBackOff" -> backOff(message, place);
            case "envoy.type.matcher.v3.RegexMatcher", "xds.type.matcher.v3.RegexMatcher" -> regex(message, place);
            default -> {}
        }
    }

    /** A domain must occur once among all virtual hosts, without regard to case. */
    private void domains(Message routes, Place place) {
        Map<String, Place> seen = new HashMap<>();
        List<Message> hosts = items(routes, "virtual_hosts");
        for (int host = 0; host < hosts.size(); host++) {
            Place domains = place.field("virtual_hosts").item(host).field("domains");
            List<String> texts = texts(hosts.get(host), "domains");
            for (int i = 0; i < texts.size(); i++) {
                Place other = seen.putIfAbsent(texts.get(i).toLowerCase(Locale.ROOT), domains.item(i));
                if (other != null) {
                    report.refused(
                            domains.item(i),
                            "'" + texts.get(i) + "' is " + other + " too (expected: each domain once)");
                }
            }
        }
    }

    private void rewrites(Message action, Place place) {
        List<String> set = REWRITES.stream()
                .filter(name ->
                        name.equals("prefix_rewrite") ? !text(action, name).isEmpty() : has(action, name))
                .toList();
        if (set.size() > 1) {
            report.refused(place, String.join(" and ", set) + " are set (expected: one of them)");
        }
    }

    private void weights(Message weighted, Place place) {
        long sum = 0;
        List<Message> clusters = items(weighted, "clusters");
        for (int i = 0; i < clusters.size(); i++) {
            if (has(clusters.get(i), "weight")) {
                sum += number(clusters.get(i), "weight", 0);
            } else {
                report.refused(
                        place.field("clusters").item(i).field("weight"), "is missing (expected: a number from 0)");
                return;
            }
        }
        if (!clusters.isEmpty() && (sum == 0 || sum > MAX_WEIGHTS)) {
            report.refused(
                    place.field("clusters"),
                    "the sum of the weights is " + sum + " (expected: 1 to " + MAX_WEIGHTS + ")");
        }
    }

    private void backOff(Message backOff, Place place) {
        if (has(backOff, "base_interval")
                && has(backOff, "max_interval")
                && nanos(backOff, "max_interval") < nanos(backOff, "base_interval")) {
            report.refused(place.field("max_interval"), "is below base_interval (expected: at least base_interval)");
        }
    }

    /** Envoy uses RE2, without look-ahead and references to groups. */
    private void regex(Message matcher, Place place) {
        String regex = text(matcher, "regex");
        if (!RegexSize.isSmall(regex)) {
            report.warning(
                    place.field("regex"), "is too large to be checked here; the proxy decides whether it takes it");
            return;
        }
        try {
            Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            report.refused(
                    place.field("regex"),
                    e.getDescription() + ": '" + e.getPattern() + "' (expected: a regular expression of RE2)");
        }
    }
}
