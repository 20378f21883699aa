package io.cairn.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.server.auth.AccountRows.PermissionRow;
import io.cairn.server.auth.AccountRows.Role;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.AccountRows.User;
import io.cairn.server.limit.RequestRate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** All accounts in memory: an immutable state, replaced as a whole. */
public final class Accounts {

    /** The administrators' role. */
    public static final String ADMIN_ROLE = "ROLE_ADMIN";

    private static final State NONE = new State(0, Map.of(), Map.of(), Map.of(), AccountRows.NONE);

    /** Callers of an issuer whose principals are kept. */
    private static final int KNOWN_IDENTITIES = 50_000;

    private final AccountStore store;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Cache<IssuerIdentity, Issued> issued =
            Caffeine.newBuilder().maximumSize(KNOWN_IDENTITIES).build();
    /** By issuer and subject, because each new token is another identity. */
    private final Cache<List<String>, RequestRate> issuedRequests =
            Caffeine.newBuilder().maximumSize(KNOWN_IDENTITIES).build();
    /** The ends of issuers' tokens, in epoch seconds, rounded up. */
    private final ConcurrentSkipListSet<Long> issuedEnds = new ConcurrentSkipListSet<>();
    /** Replaced with this lock held, read without it. */
    private volatile State state = NONE;

    public Accounts(AccountStore store) {
        this.store = store;
    }

    /**
     * @param certified the same user, identified by a certificate
     * @param fingerprint changes with the password
     */
    record Account(User user, Principal principal, Principal certified, String fingerprint) {}

    record TokenAccount(Token token, Principal principal) {}

    /** @param number greater for each later state */
    private record State(
            long number,
            Map<String, Account> users,
            Map<String, TokenAccount> tokens,
            Map<String, List<Permission>> ofRole,
            AccountRows rows) {}

    /** @param state number of the state that the permissions are from */
    private record Issued(long state, Principal principal) {}

    /** Reads all accounts from the store, in sequence. Blocks. */
    public synchronized void reload() {
        AccountRows rows = store.load();
        if (rows.equals(state.rows)) {
            // Keeps the principals in use with their counted requests.
            return;
        }
        Map<String, List<Permission>> ofRole = new HashMap<>();
        for (PermissionRow row : rows.permissions()) {
            ofRole.computeIfAbsent(row.role(), role -> new ArrayList<>())
                    .add(Permission.of(row.resource(), row.action()));
        }
        Map<String, TreeSet<String>> rolesOf = new HashMap<>();
        for (Role row : rows.roles()) {
            rolesOf.computeIfAbsent(row.username(), user -> new TreeSet<>()).add(row.role());
        }
        Map<String, Account> users = new HashMap<>();
        for (User user : rows.users()) {
            TreeSet<String> roles = rolesOf.getOrDefault(user.name(), new TreeSet<>());
            List<Permission> permissions = new ArrayList<>();
            roles.forEach(role -> permissions.addAll(ofRole.getOrDefault(role, List.of())));
            boolean admin = roles.contains(ADMIN_ROLE);
            users.put(
                    user.name(),
                    new Account(
                            user,
                            new Principal(user.name(), Principal.Kind.USER, admin, permissions, fingerprint(user)),
                            new Principal(user.name(), Principal.Kind.CERTIFICATE, admin, permissions),
                            fingerprint(user)));
        }
        Map<String, TokenAccount> tokens = new HashMap<>();
        for (Token token : rows.tokens()) {
            List<Permission> scopes = token.scopes().stream()
                    .map(scope -> Permission.of(scope.resource(), scope.action()))
                    .toList();
            tokens.put(
                    token.id(),
                    new TokenAccount(
                            token, new Principal(token.name(), Principal.Kind.TOKEN, false, scopes, token.id())));
        }
        state = new State(state.number + 1, users, tokens, ofRole, rows);
        listeners.forEach(Runnable::run);
    }

    /** Adds a listener of changes, called after they are in force, on the reading thread. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The present state of an identified caller; null for a changed password, a revoked or expired token, or a deleted user. */
    public @Nullable Principal present(Principal before, long nowMillis) {
        if (!before.isSomebody()) {
            return before;
        }
        if (before.kind() == Principal.Kind.TOKEN) {
            TokenAccount token = token(before.credential());
            return token == null || token.token.revokedAtMillis() > 0 || token.token.expiresAtMillis() <= nowMillis
                    ? null
                    : token.principal;
        }
        IssuerIdentity identity = before.issued();
        if (identity != null) {
            return before.hasExpired(nowMillis) || isDisabled(identity) ? null : principal(identity);
        }
        Account account = user(before.name());
        if (account == null || !account.user.enabled()) {
            return null;
        }
        if (before.kind() == Principal.Kind.CERTIFICATE) {
            return account.certified;
        }
        return account.fingerprint.equals(before.credential()) ? account.principal : null;
    }

    /** An identity of an issuer with the present permissions of its roles. */
    Principal principal(IssuerIdentity identity) {
        State present = state;
        Issued known = issued.getIfPresent(identity);
        if (known != null && known.state == present.number) {
            return known.principal;
        }
        Set<String> roles = rolesOf(identity);
        List<Permission> permissions = new ArrayList<>();
        roles.forEach(role -> permissions.addAll(present.ofRole.getOrDefault(role, List.of())));
        RequestRate requests =
                issuedRequests.get(List.of(identity.issuer(), identity.subject()), first -> new RequestRate());
        Principal principal = new Principal(identity, roles.contains(ADMIN_ROLE), permissions, requests);
        issued.put(identity, new Issued(present.number, principal));
        issuedEnds.add(Math.floorDiv(identity.expiresAtMillis() + 999, 1000));
        return principal;
    }

    /** The roles of an identity by rules of the settings and present stored ones and, for a user of a directory, by stored roles. */
    private Set<String> rolesOf(IssuerIdentity identity) {
        TreeSet<String> roles = new TreeSet<>(identity.roles());
        if (!identity.storedRules().isEmpty()) {
            for (AccountRows.IssuerRule stored : state.rows.rules()) {
                if (identity.storedRules().contains(stored.rule().toString())) {
                    roles.add(stored.rule().role());
                }
            }
        }
        String stored = LdapUsers.stored(identity);
        if (stored != null) {
            roles.addAll(rolesOf(stored));
        }
        return roles;
    }

    private List<String> rolesOf(String username) {
        return state.rows.roles().stream()
                .filter(role -> role.username().equals(username))
                .map(Role::role)
                .toList();
    }

    /** The roles by which a caller has its rights; empty for tokens of machines. */
    public Set<String> rolesOf(Principal principal) {
        IssuerIdentity identity = principal.issued();
        if (identity != null) {
            return rolesOf(identity);
        }
        return principal.isUser(principal.name()) ? Set.copyOf(rolesOf(principal.name())) : Set.of();
    }

    /** Whether an administrator has disabled the stored user of an identity. */
    boolean isDisabled(IssuerIdentity identity) {
        String stored = LdapUsers.stored(identity);
        Account account = stored == null ? null : user(stored);
        return account != null && !account.user.enabled();
    }

    /** Whether an issuer's token has expired since the last call with a true answer, or never. */
    public boolean hasIssuedExpired(long nowMillis) {
        var ended = issuedEnds.headSet(Math.floorDiv(nowMillis, 1000), true);
        boolean isAny = !ended.isEmpty();
        ended.clear();
        return isAny;
    }

    /** Whether a machine's token expires in that time; epoch milliseconds, end included. */
    public boolean hasExpiredBetween(long fromMillis, long untilMillis) {
        for (TokenAccount account : state.tokens.values()) {
            long end = account.token.expiresAtMillis();
            if (end > fromMillis && end <= untilMillis) {
                return true;
            }
        }
        return false;
    }

    static String fingerprint(User user) {
        return MachineToken.digest(user.password()).substring(0, 16);
    }

    @Nullable
    Account user(String name) {
        return state.users.get(name);
    }

    @Nullable
    TokenAccount token(String id) {
        return state.tokens.get(id);
    }

    public AccountRows rows() {
        return state.rows;
    }

    /** Whether an administrator with a password exists. */
    public boolean hasAdmin() {
        return state.users.values().stream()
                .anyMatch(account -> account.principal.isAdmin() && !LdapUsers.isOne(account.user.name()));
    }

    /** The present rights of a user, or null. */
    public @Nullable Principal principal(String username) {
        Account account = user(username);
        return account == null ? null : account.principal;
    }

    /** Whether the server or another user chose the password. */
    public boolean mustChangePassword(String username) {
        Account account = user(username);
        return account != null && account.user.mustChange();
    }
}
