package io.cairn.server.envoy;

import static io.cairn.server.envoy.MessageValues.has;
import static io.cairn.server.envoy.MessageValues.message;
import static io.cairn.server.envoy.MessageValues.text;

import com.google.protobuf.Message;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Collects the routes that a resource takes over ADS. For one thread. */
final class RouteNames implements ResourceWalk.Visitor {

    private static final String RDS = "envoy.extensions.filters.network.http_connection_manager.v3.Rds";

    private final Set<String> names = new TreeSet<>();

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        if (message.getDescriptorForType().getFullName().equals(RDS)
                && has(message, "config_source")
                && has(message(message, "config_source"), "ads")
                && !text(message, "route_config_name").isEmpty()) {
            names.add(text(message, "route_config_name"));
        }
    }

    /** In alphabetical order. */
    Set<String> names() {
        return names;
    }
}
