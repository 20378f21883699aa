package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures, before the first request, that an administrator exists and its password is not publicly known.
 *
 * <p>Of several nodes on an empty database, one creates the user; only its folder has the password.
 *
 * <p>One preparation runs at a time. Lock order: this lock precedes that of {@link Accounts}.
 */
public final class FirstStart {

    private static final String FIRST_USER = "nacos";
    /** Where the usual name belongs to a user without rights. */
    private static final String OTHER_FIRST_USER = "cairn-admin";

    private static final long PATIENCE_SECONDS = 60;
    private static final Logger log = LoggerFactory.getLogger(FirstStart.class);

    private final Accounts accounts;
    private final AccountService service;
    private final SecretFolder secrets;
    private final AuditStore audit;
    private final BooleanSupplier databaseAway;
    private final @Nullable FirstPasswordFile chosen;
    private volatile boolean prepared;

    /**
     * @param audit has the node that created the first user
     * @param databaseAway whether writes are impossible
     * @param chosen the password of the first user; null to generate one
     */
    public FirstStart(
            Accounts accounts,
            AccountService service,
            SecretFolder secrets,
            AuditStore audit,
            BooleanSupplier databaseAway,
            @Nullable FirstPasswordFile chosen) {
        this.chosen = chosen;
        this.audit = audit;
        this.accounts = accounts;
        this.service = service;
        this.secrets = secrets;
        this.databaseAway = databaseAway;
    }

    /**
     * Reads the accounts, and creates the first user without an administrator. Blocks. Without a database it creates nothing; call
     * it until {@link #isPrepared()}.
     *
     * @param replaceKnown whether to replace publicly known passwords
     * @throws CairnException {@code INVALID_PARAMETER} for such users if {@code replaceKnown} is false
     */
    public synchronized void prepare(boolean replaceKnown) {
        try {
            accounts.reload();
        } catch (CairnException e) {
            // The accounts are read as soon as the database answers; until then every login is refused.
            log.warn("Users and permissions cannot be read yet, so nobody can log in: {}", e.text());
            return;
        }
        List<AccountRows.User> known = accounts.rows().users().stream()
                .filter(user -> isMighty(user.name()) && Passwords.isKnown(user.password()))
                .toList();
        if (!known.isEmpty() && !replaceKnown) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "user '" + known.get(0).name()
                            + "' has the password that Nacos ships, which is publicly known;"
                            + " start once with cairn.auth.replace-known-passwords=true to have a new one made");
        }
        if ((!known.isEmpty() || !accounts.hasAdmin()) && databaseAway.getAsBoolean()) {
            log.warn(
                    "The first user cannot be created yet, because the database is unavailable; the server tries again");
            return;
        }
        try {
            replaceKnown(known);
            if (!accounts.hasAdmin()) {
                createAdmin();
            }
            settlePassword();
            logPasswordPlace();
            prepared = true;
        } catch (CairnException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            log.warn("The first user cannot be made yet; it is tried again: {}", e.text());
        }
    }

    /** Reads accounts that others may have changed. Blocks. */
    public void reload() {
        accounts.reload();
    }

    public boolean isPrepared() {
        return prepared;
    }

    private boolean isMighty(String username) {
        if (LdapUsers.isOne(username)) {
            return false;
        }
        Principal principal = accounts.principal(username);
        return principal != null && principal.isAdmin() || username.equals(FIRST_USER);
    }

    private void replaceKnown(List<AccountRows.User> users) {
        if (users.isEmpty()) {
            return;
        }
        // Passwords of an interrupted start: its users are no longer found, and only this file has their passwords.
        Map<String, String> passwords = new LinkedHashMap<>(secrets.readPasswords());
        users.forEach(user -> passwords.computeIfAbsent(user.name(), absent -> Passwords.generate(new SecureRandom())));
        // Writes the file first: a stored, unwritten password would lock its user out.
        write(passwords);
        boolean isWhole = true;
        for (AccountRows.User user : users) {
            String password = Objects.requireNonNull(passwords.get(user.name()));
            AccountChange.Outcome outcome = await(service.replacePassword(user, Passwords.hash(password), Caller.SERVER)
                    .toCompletableFuture());
            if (outcome == AccountChange.Outcome.DONE) {
                log.warn("User '{}' has got a new password; it is in {}", user.name(), secrets.passwordFile());
            } else {
                // Another node was first, and has the password in its folder.
                passwords.remove(user.name());
                isWhole = false;
            }
        }
        if (!isWhole) {
            write(passwords);
        }
    }

    private void write(Map<String, String> passwords) {
        if (passwords.isEmpty()) {
            secrets.forgetPassword();
            return;
        }
        secrets.writePassword(String.join(
                "\n",
                passwords.entrySet().stream()
                        .map(entry ->
                                passwords.size() == 1 ? entry.getValue() : entry.getKey() + ' ' + entry.getValue())
                        .toList()));
    }

    private void createAdmin() {
        String username = accounts.principal(FIRST_USER) == null ? FIRST_USER : OTHER_FIRST_USER;
        String password = chosen == null ? makePassword() : chosen.read();
        AccountChange.Outcome outcome = await(service.createAdmin(username, Passwords.hash(password), Caller.SERVER)
                .toCompletableFuture());
        if (outcome != AccountChange.Outcome.DONE) {
            // Another node was first, or the store succeeded unnoticed.
            accounts.reload();
            if (!accounts.hasAdmin()) {
                throw new CairnException(
                        ErrorCode.UNAVAILABLE, "user '" + username + "' is there, but may not do everything yet");
            }
        }
    }

    private String makePassword() {
        // Reuses the password of an attempt with an unknown outcome, because it may be stored.
        String written = secrets.readPendingPassword();
        String password = written == null ? Passwords.generate(new SecureRandom()) : written;
        // Writes the password first: a stored user without one could not log in and would prevent a further attempt.
        secrets.writePendingPassword(password);
        return password;
    }

    /** Keeps this server's password if it is the stored one; else deletes it. */
    private void settlePassword() {
        String pending = secrets.readPendingPassword();
        if (pending == null) {
            return;
        }
        for (AccountRows.User user : firstUsers()) {
            if (Passwords.matches(pending, user.password())) {
                secrets.confirmPassword();
                log.warn(
                        "First start: log in as '{}' with the password in {} and choose another one",
                        user.name(),
                        secrets.passwordFile());
                return;
            }
        }
        secrets.forgetPendingPassword();
    }

    /** Logs the place of a first password in use, unless this start logged it. */
    private void logPasswordPlace() {
        List<AccountRows.User> waiting = accounts.rows().users().stream()
                .filter(user -> user.mustChange() && isMighty(user.name()))
                .toList();
        if (waiting.isEmpty() || Files.exists(secrets.passwordFile())) {
            return;
        }
        for (AccountRows.User user : waiting) {
            if (chosen != null && chosen.matches(user.password())) {
                log.warn(
                        "Log in as '{}' with its first password, which is in {}, and choose another one",
                        user.name(),
                        chosen.path());
                continue;
            }
            String node =
                    audit
                            .find(new AuditStore.Query(null, "user.*", user.name(), null, 0, Long.MAX_VALUE), 0, 1)
                            .stream()
                            .map(AuditRecord::node)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse("the server that made the user");
            log.warn(
                    "User '{}' still has its first password, which is in the file auth/{} of the data folder of {}",
                    user.name(),
                    secrets.passwordFile().getFileName(),
                    node);
        }
    }

    private List<AccountRows.User> firstUsers() {
        return accounts.rows().users().stream()
                .filter(user -> user.name().equals(FIRST_USER) || user.name().equals(OTHER_FIRST_USER))
                .toList();
    }

    private static AccountChange.Outcome await(CompletableFuture<AccountChange.Outcome> stage) {
        try {
            return stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CairnException(ErrorCode.UNAVAILABLE, "The start was interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CairnException known
                    ? known
                    : new CairnException(ErrorCode.INTERNAL, "The first user cannot be made: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new CairnException(ErrorCode.UNAVAILABLE, "The database did not store the first user in time", e);
        }
    }
}
