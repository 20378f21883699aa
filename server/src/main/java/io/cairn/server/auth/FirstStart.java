package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sees to it, before anybody is served, that there is somebody who may do everything and that nobody knows his password. */
public final class FirstStart {

    private static final long PATIENCE_SECONDS = 60;
    private static final Logger log = LoggerFactory.getLogger(FirstStart.class);

    private final Accounts accounts;
    private final AccountService service;
    private final SecretFolder secrets;

    public FirstStart(Accounts accounts, AccountService service, SecretFolder secrets) {
        this.accounts = accounts;
        this.service = service;
        this.secrets = secrets;
    }

    /**
     * Reads the accounts, and makes the first user where there is none that may do everything. Blocks.
     *
     * @param replaceKnown whether users whose password everybody knows get a new one
     * @throws CairnException {@code INVALID_PARAMETER} when such users are there and are not to get one
     */
    public void prepare(boolean replaceKnown) {
        try {
            accounts.reload();
        } catch (CairnException e) {
            // What is stored will be read as soon as the database answers; until then nobody is let in.
            log.warn("Users and permissions cannot be read yet, so nobody is let in: {}", e.text());
            return;
        }
        for (AccountRows.User user : accounts.rows().users()) {
            Principal principal = accounts.principal(user.name());
            boolean mighty =
                    principal != null && principal.isAdmin() || user.name().equals("nacos");
            if (mighty && Passwords.isKnown(user.password())) {
                replaceKnown(user.name(), replaceKnown);
            }
        }
        if (!accounts.hasAdmin()) {
            createAdmin();
        }
    }

    private void replaceKnown(String username, boolean replace) {
        if (!replace) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "user '" + username + "' has the password that Nacos was shipped with, which everybody knows;"
                            + " start once with cairn.auth.replace-known-passwords=true to have a new one made");
        }
        String password = Passwords.generate(new SecureRandom());
        await(service.setPassword(username, password, Caller.SERVER).toCompletableFuture());
        secrets.writePassword(password);
        log.warn("User '{}' has got a new password; it is in {}", username, secrets.passwordFile());
    }

    private void createAdmin() {
        String username = accounts.principal("nacos") == null ? "nacos" : "cairn-admin";
        String password = Passwords.generate(new SecureRandom());
        // Written down first: a user whose password nobody knows would be in the way for ever.
        secrets.writePassword(password);
        await(service.createAdmin(username, Passwords.hash(password), Caller.SERVER)
                .toCompletableFuture());
        log.warn(
                "First start: log in as '{}' with the password in {} and choose another one",
                username,
                secrets.passwordFile());
    }

    private static void await(CompletableFuture<AccountChange.Outcome> stage) {
        try {
            stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
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
