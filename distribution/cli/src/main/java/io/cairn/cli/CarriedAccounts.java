package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.AccountLists.Kind;
import io.cairn.cli.migrate.Decision;
import io.cairn.cli.migrate.Decision.Outcome;
import io.cairn.cli.migrate.Report;
import io.cairn.cli.migrate.SideException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Carries users, roles and permissions. A user that the target lacks gets a random password, which is written to a file. */
final class CarriedAccounts {

    private static final int PASSWORD_BYTES = 18;

    private final BridgeServer source;
    private final BridgeServer target;
    private final Report report;
    private final boolean dryRun;
    private final PasswordFile passwords;
    private final SecureRandom random = new SecureRandom();

    CarriedAccounts(BridgeServer source, BridgeServer target, Report report, boolean dryRun, Path passwords) {
        this.source = source;
        this.target = target;
        this.report = report;
        this.dryRun = dryRun;
        this.passwords = new PasswordFile(passwords);
    }

    /** @throws Failure when the file of the passwords cannot be written; the user is not created then */
    void carry() {
        carry(Kind.USER, user -> "user " + Json.text(user, "username"), user -> {
            String name = Json.text(user, "username");
            String password = password();
            // Before the request, so that the file has the password of each created user.
            passwords.append(name + ' ' + password);
            return parameters("username", name, "password", password);
        });
        carry(
                Kind.ROLE,
                role -> "role " + Json.text(role, "role") + " of user " + Json.text(role, "username"),
                role -> parameters("role", Json.text(role, "role"), "username", Json.text(role, "username")));
        carry(
                Kind.PERMISSION,
                right -> "permission " + Json.text(right, "action") + " on " + Json.text(right, "resource")
                        + " of role " + Json.text(right, "role"),
                right -> parameters(
                        "role",
                        Json.text(right, "role"),
                        "resource",
                        Json.text(right, "resource"),
                        "action",
                        Json.text(right, "action")));
    }

    private void carry(Kind kind, Function<Object, String> subject, Function<Object, Map<String, String>> form) {
        Set<String> present = new HashSet<>();
        AccountLists.of(target, kind).forEach(item -> present.add(subject.apply(item)));
        for (Object item : AccountLists.of(source, kind)) {
            String name = subject.apply(item);
            if (present.contains(name)) {
                report.same(name);
                continue;
            }
            try {
                if (!dryRun) {
                    target.post(kind.path(target), form.apply(item));
                }
                report.add(new Decision(
                        Outcome.CREATED,
                        name,
                        "at the target, new at the source"
                                + (kind == Kind.USER && !dryRun ? "; the password is in " + passwords : "")));
            } catch (SideException e) {
                if (kind == Kind.USER) {
                    passwords.append("# " + name + ": not created, or without an answer; if the user is absent at the"
                            + " target, the line above does not count");
                }
                if (e.isTemporary()) {
                    throw e;
                }
                report.add(new Decision(Outcome.FAILED, name, String.valueOf(e.getMessage())));
            }
        }
    }

    private String password() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
