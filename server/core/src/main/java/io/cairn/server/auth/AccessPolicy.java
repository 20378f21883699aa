package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * The one place that decides. All edges ask it, with what their tables say that a request needs. Whatever is not allowed
 * is denied. Thread-safe; allocates nothing.
 */
public final class AccessPolicy {

    private final boolean enabled;

    /** @param enabled whether anybody is asked who he is; if not, everything is allowed */
    public AccessPolicy(boolean enabled) {
        this.enabled = enabled;
    }

    /** Whether requests are checked at all. */
    public boolean isEnabled() {
        return enabled;
    }

    /** Null when he may do that with the resource. */
    public @Nullable Denial check(
            Identity who, Action action, Namespace namespace, String group, ResourceType type, String name) {
        if (who instanceof Principal principal) {
            return principal.may(action, namespace, group, type, name) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /**
     * Null when there may be something of that type in the namespace with which he may do that; each thing is checked where
     * it is found.
     */
    public @Nullable Denial checkEnter(Identity who, Action action, Namespace namespace, ResourceType type) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(action, namespace, type) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null when anything in the namespace is his to see or change. */
    public @Nullable Denial checkEnter(Identity who, Namespace namespace) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(namespace) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null when there may be something, wherever, with which he may do that; each thing is checked where it is found. */
    public @Nullable Denial checkAnywhere(Identity who, Action action) {
        if (who instanceof Principal principal) {
            return principal.mayAnywhere(action) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null when he may read the meters, which are of the whole server and so lie in the default namespace. */
    public @Nullable Denial checkMeters(Identity who) {
        return check(who, Action.READ, Namespace.DEFAULT, "", ResourceType.METRICS, "");
    }

    /** Null when he is known. */
    public @Nullable Denial checkKnown(Identity who) {
        if (who instanceof Principal principal) {
            return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : null;
        }
        return (Denial) who;
    }

    /** Null when he may do everything. */
    public @Nullable Denial checkAdmin(Identity who) {
        if (who instanceof Principal principal) {
            return principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null when he is that user himself, or may do everything. */
    public @Nullable Denial checkSelf(Identity who, @Nullable String username) {
        if (who instanceof Principal principal) {
            boolean self =
                    principal.kind() == Principal.Kind.USER && principal.name().equals(username);
            return self || principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** What somebody is told who lacks a right. */
    public static Denial lacking(Principal principal) {
        return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : Denial.NO_RIGHT;
    }
}
