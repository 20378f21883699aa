package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passwords that everybody knows are replaced, and whoever starts the server can read what by. */
class FirstStartTest {

    @TempDir
    Path folder;

    private final MemoryAccounts store = new MemoryAccounts();

    private FirstStart start() {
        Accounts accounts = new Accounts(store);
        return new FirstStart(
                accounts,
                new AccountService(store, accounts, Clock.systemUTC(), Runnable::run, Runnable::run),
                new SecretFolder(folder),
                () -> false);
    }

    private Path file() {
        return new SecretFolder(folder).passwordFile();
    }

    @Test
    void aKnownPasswordIsRefusedUnlessItMayBeReplaced() {
        store.passwords.put("nacos", Passwords.hash("nacos"));

        assertThatThrownBy(() -> start().prepare(false)).hasMessageContaining("replace-known-passwords=true");
        assertThat(file()).doesNotExist();
    }

    @Test
    void aReplacementThatEndedMidwayGoesOnAndForgetsNobody() throws Exception {
        List<String> names = List.of("nacos", "root two", "wurzel-ü");
        names.forEach(name -> store.passwords.put(name, Passwords.hash("nacos")));
        store.changesLeft = 2;
        assertThatThrownBy(() -> start().prepare(true)).isInstanceOf(CairnException.class);
        List<String> written = Files.readAllLines(file());
        assertThat(written).hasSize(3);

        store.changesLeft = 100;
        FirstStart again = start();
        again.prepare(true);

        assertThat(again.isPrepared()).isTrue();
        assertThat(Files.readAllLines(file())).isEqualTo(written);
        for (String line : written) {
            int space = line.lastIndexOf(' ');
            assertThat(Passwords.matches(line.substring(space + 1), store.passwords.get(line.substring(0, space))))
                    .as(line.substring(0, space))
                    .isTrue();
        }
    }

    /** Administrators and their passwords; refuses changes once it has taken so many. */
    private static final class MemoryAccounts implements AccountStore {

        private final Map<String, String> passwords = new LinkedHashMap<>();
        private int changesLeft = 100;

        @Override
        public AccountRows load() {
            List<AccountRows.User> users = new ArrayList<>();
            List<AccountRows.Role> roles = new ArrayList<>();
            passwords.forEach((name, password) -> {
                users.add(new AccountRows.User(name, password, true, false));
                roles.add(new AccountRows.Role(Accounts.ADMIN_ROLE, name));
            });
            return new AccountRows(users, roles, List.of(), List.of());
        }

        @Override
        public CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord record) {
            if (changesLeft-- <= 0) {
                return CompletableFuture.failedFuture(
                        new CairnException(ErrorCode.INTERNAL, "the process ends here, for a test"));
            }
            AccountChange.SetPassword change = (AccountChange.SetPassword) changes.get(0);
            passwords.put(change.username(), change.password());
            return CompletableFuture.completedFuture(AccountChange.Outcome.DONE);
        }
    }
}
