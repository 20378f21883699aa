package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.limit.RequestRate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A caller and its permissions. Created once for each state of the accounts and shared by all requests. */
public final class Principal implements Identity {

    /** Every caller of a server without authentication, with all rights. */
    public static final Principal UNCHECKED = new Principal("", Kind.UNCHECKED, true, List.of());

    public static final Principal ANONYMOUS = new Principal("", Kind.ANONYMOUS, false, List.of());

    public enum Kind {
        UNCHECKED,
        ANONYMOUS,
        USER,
        TOKEN,
        CERTIFICATE,
        /** Identified by a token of an issuer outside this server. */
        OIDC,
        /** Identified by a password in a directory outside this server. */
        LDAP
    }

    private final String name;
    private final Kind kind;
    private final boolean admin;
    private final List<Permission> permissions;
    private final String credential;
    private final @Nullable IssuerIdentity issued;
    private final RequestRate requests;

    public Principal(String name, Kind kind, boolean admin, List<Permission> permissions) {
        this(name, kind, admin, permissions, "");
    }

    /** @param credential the id of a token, or a text that changes with the password */
    Principal(String name, Kind kind, boolean admin, List<Permission> permissions, String credential) {
        this(name, kind, admin, permissions, credential, null, new RequestRate());
    }

    /** @param requests of all tokens of this caller */
    Principal(IssuerIdentity issued, boolean admin, List<Permission> permissions, RequestRate requests) {
        this(issued.name(), issued.kind(), admin, permissions, "", issued, requests);
    }

    private Principal(
            String name,
            Kind kind,
            boolean admin,
            List<Permission> permissions,
            String credential,
            @Nullable IssuerIdentity issued,
            RequestRate requests) {
        this.name = name;
        this.kind = kind;
        this.admin = admin;
        this.permissions = List.copyOf(permissions);
        this.credential = credential;
        this.issued = issued;
        this.requests = requests;
    }

    /** Empty for an anonymous or unchecked caller. */
    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    /** May be empty. */
    String credential() {
        return credential;
    }

    /** Null unless an issuer outside this server has identified the caller. */
    @Nullable
    IssuerIdentity issued() {
        return issued;
    }

    /** Whether this is the caller of an issuer's token that has expired. */
    public boolean hasExpired(long nowMillis) {
        return issued != null && issued.expiresAtMillis() <= nowMillis;
    }

    /** Whether this is the same caller of an issuer, with a token that ends later. */
    public boolean renews(Principal before) {
        return issued != null
                && before.issued != null
                && issued.isSameCaller(before.issued)
                && issued.expiresAtMillis() > before.issued.expiresAtMillis();
    }

    /** Whether the caller has its own name. */
    public boolean isSomebody() {
        return kind != Kind.UNCHECKED && kind != Kind.ANONYMOUS;
    }

    /** Whether it is this user, by login, password or certificate. */
    public boolean isUser(String username) {
        return (kind == Kind.USER || kind == Kind.CERTIFICATE) && name.equals(username);
    }

    public RequestRate requests() {
        return requests;
    }

    public boolean isAdmin() {
        return admin;
    }

    public List<Permission> permissions() {
        return permissions;
    }

    /** Allocates nothing. */
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

    /** Whether the caller has that right to a possible resource of the type in the namespace. */
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

    /** Whether the caller has that right to any resource. */
    public boolean mayAnywhere(Action action) {
        return admin || permissions.stream().anyMatch(permission -> permission.allows(action));
    }

    /** Whether the caller may read or write anything in the namespace. */
    public boolean mayEnter(Namespace namespace) {
        if (admin) {
            return true;
        }
        for (Permission permission : permissions) {
            if (permission.resource().canMatch() && permission.resource().concerns(namespace)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return kind == Kind.USER || kind == Kind.OIDC || kind == Kind.LDAP
                ? name
                : kind.name().toLowerCase(java.util.Locale.ROOT) + ':' + name;
    }
}
