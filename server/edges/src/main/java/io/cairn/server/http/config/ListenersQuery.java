package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.route.Right;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A question for the configurations that an address listens to, in whichever version.
 *
 * @param ip null when the request lacks it
 * @param dataId null for any, as {@code group}
 * @param namespace null for all of them
 */
public record ListenersQuery(
        @Nullable String ip,
        @Nullable String dataId,
        @Nullable String group,
        @Nullable Namespace namespace) {

    private static final Right<ListenersQuery> SOME =
            Right.some(Action.READ, ResourceType.CONFIG, query -> Objects.requireNonNull(query.namespace, "namespace"));

    private static final Right<ListenersQuery> ANYWHERE = Right.anywhere(Action.READ);

    /** The right to read something in the namespace, or somewhere. An answer leaves out all else. */
    public static final Right<ListenersQuery> READ = Right.either(query -> query.namespace == null ? ANYWHERE : SOME);

    boolean matches(ConfigKey key) {
        return (dataId == null || dataId.equals(key.dataId()))
                && (group == null || group.equals(key.group()))
                && (namespace == null || namespace.equals(key.namespace()));
    }
}
