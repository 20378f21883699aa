package io.cairn.server.http.core;

import io.cairn.server.http.route.Form;
import org.jspecify.annotations.Nullable;

/**
 * A request for nodes of the cluster.
 *
 * @param address a part of their address; null or blank for any
 * @param state the state they are in; null or blank for any
 */
public record NodeQuery(@Nullable String address, @Nullable String state) {

    /** For all nodes. */
    public static final NodeQuery ALL = new NodeQuery(null, null);

    static final Form<NodeQuery> BY_ADDRESS = Form.of(
            "address state", request -> new NodeQuery(request.parameter("address"), request.parameter("state")));

    /** The form of consoles. */
    public static final Form<NodeQuery> BY_KEYWORD =
            Form.of("keyword", request -> new NodeQuery(request.parameter("keyword"), null));
}
