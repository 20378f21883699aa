package io.cairn.server.http.core;

import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * A request for nodes.
 *
 * @param address a part of the address; null or blank for any
 * @param state null or blank for any
 */
public record NodeQuery(@Nullable String address, @Nullable String state) {

    public static final NodeQuery ALL = new NodeQuery(null, null);

    private static final Parameter<String> ADDRESS = Parameter.text("address", "A part of the address");
    private static final Parameter<String> KEYWORD = ADDRESS.named("keyword");
    private static final Parameter<String> STATE = Parameter.text("state", "The state");

    static final Form<NodeQuery> BY_ADDRESS =
            Form.of(ADDRESS, STATE).as(request -> new NodeQuery(ADDRESS.orNull(request), STATE.orNull(request)));

    public static final Form<NodeQuery> BY_KEYWORD =
            Form.of(KEYWORD).as(request -> new NodeQuery(KEYWORD.orNull(request), null));
}
