package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.route.Right;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for the configurations that an address listens to, of any version.
 *
 * @param dataId null for any, as {@code group}
 * @param namespace null for all
 */
public record ListenersQuery(
        @Nullable String ip,
        @Nullable String dataId,
        @Nullable String group,
        @Nullable Namespace namespace) {

    private static final Right<ListenersQuery> SOME =
            Right.some(Action.READ, ResourceType.CONFIG, query -> Objects.requireNonNull(query.namespace, "namespace"));

    private static final Right<ListenersQuery> ANYWHERE = Right.anywhere(Action.READ);

    /** The right to read some configurations of the namespace, or of any. The answer leaves out all others. */
    public static final Right<ListenersQuery> READ = Right.either(query -> query.namespace == null ? ANYWHERE : SOME);

    boolean matches(ConfigKey key) {
        return (dataId == null || dataId.equals(key.dataId()))
                && (group == null || group.equals(key.group()))
                && (namespace == null || namespace.equals(key.namespace()));
    }
}
