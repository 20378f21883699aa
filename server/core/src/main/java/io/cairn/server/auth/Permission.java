package io.cairn.server.auth;

import io.cairn.api.config.Namespace;

/**
 * One row of the permissions: a pattern of resources and {@code r}, {@code w} or {@code rw}. Any other action allows
 * nothing. Immutable.
 */
public record Permission(ResourcePattern resource, String action) {

    public static Permission of(String resource, String action) {
        return new Permission(ResourcePattern.of(resource), action);
    }

    /** Whether that spelling of an action is one. */
    public static boolean isAction(String action) {
        return action.equals("r") || action.equals("w") || action.equals("rw");
    }

    boolean allows(Action wanted, Namespace namespace, String group, ResourceType type, String name) {
        return allows(wanted) && resource.matches(namespace, group, type, name);
    }

    /** Whether it is about that action at all. */
    boolean allows(Action wanted) {
        return action.equals("rw") || action.equals(wanted == Action.READ ? "r" : "w");
    }
}
