package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a request is allowed. Every edge passes the right in its own declarations. Allocates nothing. */
public class AccessPolicy {

    private final Set<ApiKind> closed;
    private final boolean enabled;
    private final boolean staged;

    /** @param closed whose callers are authenticated; all may do everything in the others */
    public AccessPolicy(Set<ApiKind> closed) {
        this.closed = closed.isEmpty() ? EnumSet.noneOf(ApiKind.class) : EnumSet.copyOf(closed);
        this.enabled = !closed.isEmpty();
        this.staged = enabled && closed.size() < ApiKind.values().length;
    }

    /** @param enabled whether all callers are authenticated; else everything is allowed */
    public AccessPolicy(boolean enabled) {
        this(enabled ? EnumSet.allOf(ApiKind.class) : Set.of());
    }

    /** Whether any callers are authenticated. */
    public final boolean isEnabled() {
        return enabled;
    }

    /** Whether some callers are authenticated, and others are not. */
    public final boolean isStaged() {
        return staged;
    }

    /** Whether there are users, and clients need no login yet. */
    public final boolean servesClientsWithoutLogin() {
        return staged && !closed.contains(ApiKind.CLIENT);
    }

    /** Whether a visitor of the console must log in, whose pages use the paths of administration. */
    public final boolean pagesNeedLogin() {
        return needsLogin(ApiKind.CONSOLE) || needsLogin(ApiKind.ADMINISTRATION);
    }

    public final boolean needsLogin(ApiKind kind) {
        return enabled && (!staged || closed.contains(kind));
    }

    /** Null if the caller has the right to the resource. */
    public @Nullable Denial check(
            Identity who, Action action, Namespace namespace, String group, ResourceType type, String name) {
        if (who instanceof Principal principal) {
            return principal.may(action, namespace, group, type, name) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /**
     * Null if the caller has the right to a possible resource of that type in the namespace; the caller of this method checks each
     * resource.
     */
    public @Nullable Denial checkEnter(Identity who, Action action, Namespace namespace, ResourceType type) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(action, namespace, type) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null if the caller may read or write anything in the namespace. */
    public @Nullable Denial checkEnter(Identity who, Namespace namespace) {
        if (who instanceof Principal principal) {
            return principal.mayEnter(namespace) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null if the caller has the right to any resource; the caller of this method checks each resource. */
    public @Nullable Denial checkAnywhere(Identity who, Action action) {
        if (who instanceof Principal principal) {
            return principal.mayAnywhere(action) ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null if the caller may read the meters, a right of the default namespace. */
    public @Nullable Denial checkMeters(Identity who) {
        return check(who, Action.READ, Namespace.DEFAULT, "", ResourceType.METRICS, "");
    }

    /** Null for an authenticated caller. */
    public @Nullable Denial checkKnown(Identity who) {
        if (who instanceof Principal principal) {
            return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : null;
        }
        return (Denial) who;
    }

    public @Nullable Denial checkAdmin(Identity who) {
        if (who instanceof Principal principal) {
            return principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    /** Null for that user and for administrators. */
    public @Nullable Denial checkSelf(Identity who, @Nullable String username) {
        if (who instanceof Principal principal) {
            boolean self =
                    principal.kind() == Principal.Kind.USER && principal.name().equals(username);
            return self || principal.isAdmin() ? null : lacking(principal);
        }
        return (Denial) who;
    }

    public static Denial lacking(Principal principal) {
        return principal.kind() == Principal.Kind.ANONYMOUS ? Denial.NO_USER : Denial.NO_RIGHT;
    }
}
