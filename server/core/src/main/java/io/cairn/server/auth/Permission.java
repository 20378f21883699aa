package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/** A pattern of resources with {@code r}, {@code w}, {@code rw} or {@code drain}. Other actions allow nothing. */
public record Permission(ResourcePattern resource, String action) {

    public static Permission of(String resource, String action) {
        return new Permission(ResourcePattern.of(resource), action);
    }

    public static boolean isAction(String action) {
        return action.equals("rw")
                || action.equals(Action.READ.stored())
                || action.equals(Action.WRITE.stored())
                || action.equals(Action.DRAIN.stored());
    }

    boolean allows(Action wanted, Namespace namespace, String group, ResourceType type, String name) {
        return allows(wanted) && resource.matches(namespace, group, type, name);
    }

    /** Why it allows nothing, or null. */
    public @Nullable String fault() {
        return isAction(action) ? resource.fault() : "the action is '" + action + "' (expected: r, w, rw or drain)";
    }

    boolean allows(Action wanted) {
        return resource.canMatch()
                && (action.equals("rw")
                        || action.equals(wanted.stored())
                        || wanted == Action.DRAIN && action.equals(Action.WRITE.stored()));
    }
}
