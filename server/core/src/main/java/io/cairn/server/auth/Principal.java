package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.limit.RequestRate;
import java.util.ArrayList;
import java.util.List;

/**
 * A caller and its permissions. Without a permission it may do nothing. Created once for each state of the accounts and
 * shared by all requests. Immutable.
 */
public final class Principal implements Identity {

    /** Every caller of a server without authentication; may do everything. */
    public static final Principal UNCHECKED = new Principal("", Kind.UNCHECKED, true, List.of());
    /** A caller without credentials. */
    public static final Principal ANONYMOUS = new Principal("", Kind.ANONYMOUS, false, List.of());

    /** How a caller was authenticated. */
    public enum Kind {
        UNCHECKED,
        ANONYMOUS,
        USER,
        TOKEN,
        CERTIFICATE
    }

    private final String name;
    private final Kind kind;
    private final boolean admin;
    private final List<Permission> permissions;
    private final String credential;
    private final RequestRate requests = new RequestRate();

    public Principal(String name, Kind kind, boolean admin, List<Permission> permissions) {
        this(name, kind, admin, permissions, "");
    }

    /**
     * @param credential the credential that was presented: the id of a token, or a text that changes with the password
     */
    Principal(String name, Kind kind, boolean admin, List<Permission> permissions, String credential) {
        this.name = name;
        this.kind = kind;
        this.admin = admin;
        this.permissions = List.copyOf(permissions);
        this.credential = credential;
    }

    /** Name of the user or token; empty for an anonymous or unchecked caller. */
    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    /** The credential that was presented; empty if there is none. */
    String credential() {
        return credential;
    }

    /** Whether the caller has a name of its own. */
    public boolean isSomebody() {
        return kind != Kind.UNCHECKED && kind != Kind.ANONYMOUS;
    }

    /** Counts the requests of this caller. */
    public RequestRate requests() {
        return requests;
    }

    /** Whether the caller may do everything. */
    public boolean isAdmin() {
        return admin;
    }

    public List<Permission> permissions() {
        return permissions;
    }

    /** Whether the caller has that right to the resource. Allocates nothing. */
    public boolean may(Action action, Namespace namespace, String group, ResourceType type, String resource) {
        if (admin) {
            return true;
        }
        for (int i = 0; i < permissions.size(); i++) {
            if (permissions.get(i).allows(action, namespace, group, type, resource)) {
                return true;
            }
        }
        return false;
    }

    public boolean mayRead(ConfigKey key) {
        return admin || may(Action.READ, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
    }

    public boolean mayWrite(ConfigKey key) {
        return admin || may(Action.WRITE, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
    }

    public boolean mayRead(ServiceKey key) {
        return admin || may(Action.READ, key.namespace(), key.group(), ResourceType.NAMING, key.name());
    }

    public boolean mayWrite(ServiceKey key) {
        return admin || may(Action.WRITE, key.namespace(), key.group(), ResourceType.NAMING, key.name());
    }

    /** Whether the caller has that right to at least one possible resource of that type in the namespace. */
    public boolean mayEnter(Action action, Namespace namespace, ResourceType type) {
        if (admin) {
            return true;
        }
        for (Permission permission : permissions) {
            if (permission.allows(action) && permission.resource().concerns(namespace, type)) {
                return true;
            }
        }
        return false;
    }

    /** The resources of that type in the namespace that the caller may read. */
    public ReadScope readable(Namespace namespace, ResourceType type) {
        if (admin) {
            return ReadScope.ALL;
        }
        List<ResourcePattern> patterns = new ArrayList<>();
        for (Permission permission : permissions) {
            if (permission.allows(Action.READ) && permission.resource().concerns(namespace, type)) {
                patterns.add(permission.resource());
            }
        }
        return ReadScope.of(patterns);
    }

    /** Whether the caller has that right to any resource at all. */
    public boolean mayAnywhere(Action action) {
        return admin || permissions.stream().anyMatch(permission -> permission.allows(action));
    }

    /** Whether the caller may read or write anything in the namespace. */
    public boolean mayEnter(Namespace namespace) {
        if (admin) {
            return true;
        }
        for (Permission permission : permissions) {
            if (permission.resource().concerns(namespace)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return kind == Kind.USER ? name : kind.name().toLowerCase(java.util.Locale.ROOT) + ':' + name;
    }
}
