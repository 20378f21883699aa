package io.cairn.server.envoy;

import static io.cairn.server.envoy.MessageValues.entries;
import static io.cairn.server.envoy.MessageValues.has;
import static io.cairn.server.envoy.MessageValues.items;
import static io.cairn.server.envoy.MessageValues.message;
import static io.cairn.server.envoy.MessageValues.nanos;
import static io.cairn.server.envoy.MessageValues.text;
import static io.cairn.server.envoy.MessageValues.typeOf;

import com.google.protobuf.Message;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** Checks the order of filters, and settings of some, as Envoy does. For one thread. */
final class FilterCheck implements ResourceWalk.Visitor {

    private static final String HTTP = "envoy.extensions.filters.http.";
    private static final String NETWORK = "envoy.extensions.filters.network.";

    /** Filters that end a chain; they stand last. */
    private static final Set<String> TERMINAL = Set.of(
            HTTP + "router.v3.Router",
            NETWORK + "http_connection_manager.v3.HttpConnectionManager",
            NETWORK + "tcp_proxy.v3.TcpProxy",
            NETWORK + "redis_proxy.v3.RedisProxy",
            NETWORK + "thrift_proxy.v3.ThriftProxy",
            NETWORK + "dubbo_proxy.v3.DubboProxy",
            NETWORK + "generic_proxy.v3.GenericProxy",
            NETWORK + "echo.v3.Echo",
            NETWORK + "direct_response.v3.Config");

    /** Packages of filters that never end a chain; others are unknown here. */
    private static final Set<String> PASSING = Set.of(
            HTTP + "adaptive_concurrency.v3",
            HTTP + "admission_control.v3",
            HTTP + "api_key_auth.v3",
            HTTP + "bandwidth_limit.v3",
            HTTP + "basic_auth.v3",
            HTTP + "buffer.v3",
            HTTP + "composite.v3",
            HTTP + "compressor.v3",
            HTTP + "cors.v3",
            HTTP + "csrf.v3",
            HTTP + "decompressor.v3",
            HTTP + "dynamic_forward_proxy.v3",
            HTTP + "ext_authz.v3",
            HTTP + "ext_proc.v3",
            HTTP + "fault.v3",
            HTTP + "filter_chain.v3",
            HTTP + "grpc_json_transcoder.v3",
            HTTP + "grpc_stats.v3",
            HTTP + "grpc_web.v3",
            HTTP + "header_mutation.v3",
            HTTP + "header_to_metadata.v3",
            HTTP + "health_check.v3",
            HTTP + "jwt_authn.v3",
            HTTP + "local_ratelimit.v3",
            HTTP + "lua.v3",
            HTTP + "mcp.v3",
            HTTP + "mcp_json_rest_bridge.v3",
            HTTP + "oauth2.v3",
            HTTP + "ratelimit.v3",
            HTTP + "rbac.v3",
            HTTP + "set_metadata.v3",
            HTTP + "stateful_session.v3",
            NETWORK + "connection_limit.v3",
            NETWORK + "ext_authz.v3",
            NETWORK + "local_ratelimit.v3",
            NETWORK + "mongo_proxy.v3",
            NETWORK + "mysql_proxy.v3",
            NETWORK + "postgres_proxy.v3alpha",
            NETWORK + "ratelimit.v3",
            NETWORK + "rbac.v3",
            NETWORK + "set_filter_state.v3",
            NETWORK + "sni_cluster.v3",
            NETWORK + "zookeeper_proxy.v3");

    private static final long LEAST_FILL_MILLIS = 50;

    private final Report report;

    FilterCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        switch (message.getDescriptorForType().getFullName()) {
            case "envoy.config.listener.v3.FilterChain" -> order(items(message, "filters"), place.field("filters"));
            case NETWORK + "http_connection_manager.v3.HttpConnectionManager" -> {
                List<Message> filters = items(message, "http_filters");
                order(filters, place.field("http_filters"));
                lastIsEnabled(filters, place.field("http_filters"));
            }
            case NETWORK + "http_connection_manager.v3.Rds" -> source(message, place);
            case HTTP + "jwt_authn.v3.JwtAuthentication" -> providers(message, place);
            case HTTP + "local_ratelimit.v3.LocalRateLimit", NETWORK + "local_ratelimit.v3.LocalRateLimit" ->
                bucket(message, place);
            case "google.api.expr.v1alpha1.Expr" -> expression(message, place);
            default -> {}
        }
    }

    private void order(List<Message> filters, Place place) {
        for (int i = 0; i < filters.size(); i++) {
            String type = typeOf(filters.get(i), "typed_config");
            boolean isLast = i == filters.size() - 1;
            if (!isLast && TERMINAL.contains(type)) {
                report.refused(
                        place.item(i), simpleName(type) + " ends a chain of filters (expected: it is the last one)");
                return;
            }
            if (isLast && type.contains(".") && PASSING.contains(type.substring(0, type.lastIndexOf('.')))) {
                report.refused(
                        place.item(i),
                        simpleName(type) + " is the last filter (expected: behind it one that ends the chain, such as "
                                + (type.startsWith(HTTP)
                                        ? "envoy.filters.http.router"
                                        : "envoy.filters.network.tcp_proxy")
                                + ')');
            }
        }
    }

    private static String simpleName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private void lastIsEnabled(List<Message> filters, Place place) {
        if (!filters.isEmpty()
                && text(filters.get(filters.size() - 1), "disabled").equals("true")) {
            report.refused(
                    place.item(filters.size() - 1).field("disabled"), "is true for the last filter (expected: false)");
        }
    }

    private void source(Message rds, Place place) {
        if (!has(rds, "config_source") && !text(rds, "route_config_name").startsWith("xdstp:")) {
            report.refused(place.field("config_source"), "is missing (expected: {ads: {}, resource_api_version: V3})");
        }
    }

    private void providers(Message authentication, Place place) {
        Set<String> providers = entries(authentication, "providers").keySet();
        Set<String> named = entries(authentication, "requirement_map").keySet();
        entries(authentication, "requirement_map")
                .forEach((name, requirement) -> requirement(
                        requirement, providers, place.field("requirement_map").entry(name)));
        List<Message> rules = items(authentication, "rules");
        for (int i = 0; i < rules.size(); i++) {
            Place rule = place.field("rules").item(i);
            if (has(rules.get(i), "requires")) {
                requirement(message(rules.get(i), "requires"), providers, rule.field("requires"));
            }
            String name = text(rules.get(i), "requirement_name");
            if (!name.isEmpty() && !named.contains(name)) {
                report.refused(
                        rule.field("requirement_name"),
                        "'" + name + "' is not in requirement_map (expected: one of its keys)");
            }
        }
    }

    private void requirement(Message requirement, Set<String> providers, Place place) {
        if (has(requirement, "provider_name")) {
            provider(requirement, providers, place);
        }
        if (has(requirement, "provider_and_audiences")) {
            provider(message(requirement, "provider_and_audiences"), providers, place.field("provider_and_audiences"));
        }
        for (String list : List.of("requires_any", "requires_all")) {
            if (has(requirement, list)) {
                List<Message> parts = items(message(requirement, list), "requirements");
                for (int i = 0; i < parts.size(); i++) {
                    requirement(
                            parts.get(i),
                            providers,
                            place.field(list).field("requirements").item(i));
                }
            }
        }
    }

    private void provider(Message named, Set<String> providers, Place place) {
        String name = text(named, "provider_name");
        if (!providers.contains(name)) {
            report.refused(
                    place.field("provider_name"), "'" + name + "' is not in providers (expected: one of its keys)");
        }
    }

    private void bucket(Message limit, Place place) {
        if (has(limit, "token_bucket")
                && has(message(limit, "token_bucket"), "fill_interval")
                && nanos(message(limit, "token_bucket"), "fill_interval")
                        < TimeUnit.MILLISECONDS.toNanos(LEAST_FILL_MILLIS)) {
            report.refused(
                    place.field("token_bucket").field("fill_interval"), "is below 0.05s (expected: at least 0.05s)");
        }
    }

    /** A condition of RBAC without an effect, whole or in part. */
    private void expression(Message expression, Place place) {
        boolean isEmpty = expression.getAllFields().keySet().stream()
                .allMatch(field -> field.getName().equals("id"));
        if (isEmpty) {
            report.refused(place, "is empty (expected: an expression)");
        }
    }
}
