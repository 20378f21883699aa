package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request is allowed. Every edge asks this class and passes the right that its own tables demand for
 * the request. A request without that right is denied. Thread-safe; allocates nothing.
 */
public final class AccessPolicy {

    private final boolean enabled;

    /** @param enabled whether callers are authenticated; if false, everything is allowed */
    public AccessPolicy(boolean enabled) {
        this.enabled = enabled;
    }

    /** Whether requests are checked at all. */
    public boolean isEnabled() {
        return enabled;
    }

    /** Returns null if the caller has the right to the resource. */
    public @Nullable Denial check(
            Identity who, Action action, Namespace namespace, String group, ResourceType type, String name) {
        if (who instanceof Principal principal) {
            return principal.may(action, namespace, group, type, name) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /**
     * Returns null if the caller has the right to at least one possible resource of that type in the namespace; the
     * caller of this method then checks each resource that it finds.
     */
    public @Nullable Denial checkEnter(Identity who, Action action, Namespace namespace, ResourceType type) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(action, namespace, type) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Returns null if the caller may read or write anything in the namespace. */
    public @Nullable Denial checkEnter(Identity who, Namespace namespace) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(namespace) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /**
     * Returns null if the caller has the right to any resource at all; the caller of this method then checks each
     * resource that it finds.
     */
    public @Nullable Denial checkAnywhere(Identity who, Action action) {
        if (who instanceof Principal principal) {
            return principal.mayAnywhere(action) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /**
     * Returns null if the caller may read the meters. They belong to the whole server, so the right is one of the
     * default namespace.
     */
    public @Nullable Denial checkMeters(Identity who) {
        return check(who, Action.READ, Namespace.DEFAULT, "", ResourceType.METRICS, "");
    }

    /** Returns null if the caller is authenticated. */
    public @Nullable Denial checkKnown(Identity who) {
        if (who instanceof Principal principal) {
            return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : null;
        }
        return (Denial) who;
    }

    /** Returns null if the caller may do everything. */
    public @Nullable Denial checkAdmin(Identity who) {
        if (who instanceof Principal principal) {
            return principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Returns null if the caller is that user, or may do everything. */
    public @Nullable Denial checkSelf(Identity who, @Nullable String username) {
        if (who instanceof Principal principal) {
            boolean self =
                    principal.kind() == Principal.Kind.USER && principal.name().equals(username);
            return self || principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** The denial for a caller that lacks a right. */
    public static Denial lacking(Principal principal) {
        return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : Denial.NO_RIGHT;
    }
}
