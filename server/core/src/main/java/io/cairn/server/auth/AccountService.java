package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccountRows.IssuerRule;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the accounts. Each change is durable and in force on this node before the stage completes. Never blocks: a pool hashes
 * passwords and reads accounts.
 */
public final class AccountService {

    private static final int MAX_NAME = 50;
    /** Characters of the column. */
    private static final int MAX_RESOURCE = 128;

    private static final int MAX_AUTHOR = 128;

    /** Each new token of an issuer is compared with all. */
    private static final int MAX_RULES = 200;

    private static final int RULE_ID_BYTES = 8;

    private static final Duration LONGEST_TOKEN = Duration.ofDays(366);

    private final AccountStore store;
    private final Accounts accounts;
    private final Clock clock;
    private final Executor hashing;
    private final Executor reading;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param hashing pool for passwords
     * @param reading pool for reads after a change; separate, so that many logins do not delay a stored change
     */
    public AccountService(AccountStore store, Accounts accounts, Clock clock, Executor hashing, Executor reading) {
        this.store = store;
        this.accounts = accounts;
        this.clock = clock;
        this.hashing = hashing;
        this.reading = reading;
    }

    public Accounts accounts() {
        return accounts;
    }

    /** @param mustChange whether the user must change the password at its first login */
    public CompletionStage<AccountChange.Outcome> createUser(
            String username, String password, boolean mustChange, Caller by) {
        name("username", username);
        UserNames.check(username);
        refuseLdap(username);
        Passwords.check(password);
        Passwords.refuseKnown(password);
        return onPool(() -> Passwords.hash(password))
                .thenCompose(hash -> apply(
                        new AccountChange.CreateUser(username, hash, mustChange),
                        AuditRecord.of(by, "user.create", username)));
    }

    /** A user that sets its own password need not change it at the next login. */
    public CompletionStage<AccountChange.Outcome> setPassword(String username, String password, Caller by) {
        refuseLdap(username);
        Passwords.check(password);
        Passwords.refuseKnown(password);
        boolean isSelf = by.principal().kind() == Principal.Kind.USER
                && by.principal().name().equals(username);
        return onPool(() -> Passwords.hash(password))
                .thenCompose(hash -> apply(
                        new AccountChange.SetPassword(username, hash, !isSelf && accounts.mustChangePassword(username)),
                        AuditRecord.of(by, "user.password", username)));
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for an administrator */
    public CompletionStage<AccountChange.Outcome> deleteUser(String username, Caller by) {
        Principal principal = accounts.principal(username);
        if (principal != null && principal.isAdmin()) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "cannot delete admin: " + username);
        }
        return apply(new AccountChange.DeleteUser(username), AuditRecord.of(by, "user.delete", username));
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for the administrators' role, or an unknown user */
    public CompletionStage<AccountChange.Outcome> grantRole(String role, String username, Caller by) {
        name("role", role);
        if (role.equals(Accounts.ADMIN_ROLE)) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "role 'ROLE_ADMIN' is not permitted to create!");
        }
        if (accounts.principal(username) == null) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "user '" + username + "' not found!");
        }
        return apply(
                new AccountChange.GrantRole(role, username),
                AuditRecord.of(by, "role.grant", username).withDetail(role));
    }

    /**
     * @param username null for all users
     * @throws CairnException {@code INVALID_PARAMETER} for the administrators' role
     */
    public CompletionStage<AccountChange.Outcome> revokeRole(String role, @Nullable String username, Caller by) {
        if (role.equals(Accounts.ADMIN_ROLE)) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "role 'ROLE_ADMIN' is not permitted to delete!");
        }
        return apply(
                new AccountChange.RevokeRole(role, username),
                AuditRecord.of(by, "role.revoke", username == null ? "*" : username)
                        .withDetail(role));
    }

    public CompletionStage<AccountChange.Outcome> addPermission(
            String role, String resource, String action, Caller by) {
        name("role", role);
        resource(resource, action);
        return apply(
                new AccountChange.AddPermission(role, resource, action),
                AuditRecord.of(by, "permission.add", resource).withDetail(role + ' ' + action));
    }

    public CompletionStage<AccountChange.Outcome> removePermission(
            String role, String resource, String action, Caller by) {
        return apply(
                new AccountChange.RemovePermission(role, resource, action),
                AuditRecord.of(by, "permission.remove", resource).withDetail(role + ' ' + action));
    }

    /** The secret is not stored, so it cannot be read again. */
    public record NewToken(AccountRows.Token token, String secret) {}

    /** @param timeToLive at most 366 days */
    public CompletionStage<NewToken> createToken(
            String name, List<AccountRows.Scope> scopes, Duration timeToLive, Caller by) {
        name("name", name);
        if (scopes.isEmpty()) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "scopes: none (expected: what the token may do, at least one)");
        }
        for (AccountRows.Scope scope : scopes) {
            resource(scope.resource(), scope.action());
        }
        if (timeToLive.compareTo(Duration.ofSeconds(1)) < 0 || timeToLive.compareTo(LONGEST_TOKEN) > 0) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "ttl: " + timeToLive.toSeconds() + " s (expected: 1-" + LONGEST_TOKEN.toSeconds() + ")");
        }
        MachineToken secret = MachineToken.create(random);
        long now = clock.millis();
        AccountRows.Token token = new AccountRows.Token(
                secret.id(), name, secret.digest(), scopes, author(by), now, now + timeToLive.toMillis(), 0);
        return apply(
                        new AccountChange.CreateToken(token),
                        AuditRecord.of(by, "token.create", secret.id()).withDetail(name))
                .thenApply(done -> new NewToken(token, secret.text()));
    }

    public CompletionStage<AccountChange.Outcome> revokeToken(String id, Caller by) {
        return apply(new AccountChange.RevokeToken(id, clock.millis()), AuditRecord.of(by, "token.revoke", id));
    }

    /**
     * Stores a rule that gives a role to callers of the issuer, at most 200.
     *
     * @throws CairnException (in the stage or at once) {@code INVALID_PARAMETER} for a refused rule, {@code CONFLICT} for a rule that
     *     is stored
     */
    public CompletionStage<IssuerRule> createRule(String claim, String value, String role, Caller by) {
        RoleRule rule = RoleRule.toStore(claim, value, role);
        int count = accounts.rows().rules().size();
        if (count >= MAX_RULES) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "rules: " + count + " are stored (expected: at most " + MAX_RULES
                            + "; one rule with * in its value may replace several)");
        }
        byte[] id = new byte[RULE_ID_BYTES];
        random.nextBytes(id);
        IssuerRule stored = new IssuerRule(HexFormat.of().formatHex(id), rule, author(by), clock.millis());
        return apply(
                        new AccountChange.CreateRule(stored),
                        AuditRecord.of(by, "rule.create", rule.toString()).withDetail(rule.effect("")))
                .thenApply(outcome -> changed(stored, outcome));
    }

    /**
     * Replaces a stored rule. It gives its role to tokens that are read from now on, and to logins from now on.
     *
     * @throws CairnException (in the stage or at once) as {@link #createRule}, and {@code NOT_FOUND} for an unknown id or a rule that
     *     another caller changes at the same time
     */
    public CompletionStage<IssuerRule> updateRule(String id, String claim, String value, String role, Caller by) {
        RoleRule rule = RoleRule.toStore(claim, value, role);
        RoleRule before = rule(id).rule();
        IssuerRule stored = new IssuerRule(id, rule, author(by), clock.millis());
        return apply(
                        new AccountChange.UpdateRule(before, stored),
                        AuditRecord.of(by, "rule.update", rule.toString()).withDetail(rule.effect("before: " + before)))
                .thenApply(outcome -> changed(stored, outcome));
    }

    /** @throws CairnException (in the stage or at once) {@code NOT_FOUND} as {@link #updateRule} */
    public CompletionStage<IssuerRule> deleteRule(String id, Caller by) {
        IssuerRule stored = rule(id);
        return apply(
                        new AccountChange.DeleteRule(id, stored.rule()),
                        AuditRecord.of(by, "rule.delete", stored.rule().toString()))
                .thenApply(outcome -> changed(stored, outcome));
    }

    private IssuerRule rule(String id) {
        return accounts.rows().rules().stream()
                .filter(rule -> rule.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new CairnException(ErrorCode.NOT_FOUND, "no stored rule has the id '" + id + "'"));
    }

    private static IssuerRule changed(IssuerRule rule, AccountChange.Outcome outcome) {
        if (outcome == AccountChange.Outcome.EXISTS) {
            throw new CairnException(ErrorCode.CONFLICT, "the rule '" + rule.rule() + "' is stored already");
        }
        if (outcome == AccountChange.Outcome.ABSENT) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND,
                    "another caller has changed or deleted the rule " + rule.id()
                            + " (expected: list the rules again)");
        }
        return rule;
    }

    /** Callers of an issuer may have longer names. */
    private static String author(Caller by) {
        String name = by.principal().name();
        return name.length() <= MAX_AUTHOR ? name : name.substring(0, MAX_AUTHOR);
    }

    /**
     * Creates the first administrator. Of several nodes one completes with {@code DONE}, the others with {@code EXISTS}.
     */
    CompletionStage<AccountChange.Outcome> createAdmin(String username, String hash, Caller by) {
        return store.apply(
                        List.of(new AccountChange.CreateFirstAdmin(username, hash)),
                        AuditRecord.of(by, "user.create", username).withDetail(Accounts.ADMIN_ROLE))
                .thenCompose(this::reloaded);
    }

    /** Replaces a publicly known password, which the user must change. Completes with {@code ABSENT} if another node has. */
    CompletionStage<AccountChange.Outcome> replacePassword(AccountRows.User user, String hash, Caller by) {
        return apply(
                new AccountChange.ReplacePassword(user.name(), user.password(), hash),
                AuditRecord.of(by, "user.password", user.name()));
    }

    private CompletionStage<AccountChange.Outcome> apply(AccountChange change, AuditRecord record) {
        return store.apply(List.of(change), record).thenCompose(this::reloaded);
    }

    private CompletionStage<AccountChange.Outcome> reloaded(AccountChange.Outcome outcome) {
        return CompletableFuture.supplyAsync(
                () -> {
                    accounts.reload();
                    return outcome;
                },
                reading);
    }

    private <T> CompletionStage<T> onPool(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, hashing);
    }

    private static void refuseLdap(String username) {
        if (LdapUsers.isOne(username)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "username: '" + username
                            + "' is a user of an LDAP directory, which has no password here (expected: a name"
                            + " that does not begin with " + LdapUsers.PREFIX + ")");
        }
    }

    private static void name(String parameter, String value) {
        if (value.isBlank() || value.length() > MAX_NAME || !value.equals(value.strip())) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    parameter + ": '" + value + "' (expected: 1-" + MAX_NAME + " characters, no space around them)");
        }
    }

    private static void resource(String resource, String action) {
        if (resource.length() > MAX_RESOURCE) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "resource: " + resource.length() + " characters (expected: at most " + MAX_RESOURCE + ")");
        }
        String fault = ResourcePattern.of(resource).fault();
        if (fault != null) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "resource: '" + resource + "' matches nothing: " + fault
                            + " (expected: <namespace>:<group>:<config|naming|*>/<name>, in which * stands for any"
                            + " characters and all others for themselves; one permission for each namespace)");
        }
        if (!Permission.isAction(action)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "action: '" + action + "' (expected: r, w, rw or drain)");
        }
    }
}
