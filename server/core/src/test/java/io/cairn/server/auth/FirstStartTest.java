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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Publicly known passwords are replaced, and the new ones are written to a file for the operator. */
class FirstStartTest {

    @TempDir
    Path folder;

    private final MemoryAccounts store = new MemoryAccounts();
    private final CreatedUsers audit = new CreatedUsers();
    private boolean databaseAway;
    private @Nullable FirstPasswordFile chosen;

    private FirstStart start() {
        Accounts accounts = new Accounts(store);
        return new FirstStart(
                accounts,
                new AccountService(store, accounts, Clock.systemUTC(), Runnable::run, Runnable::run),
                new SecretFolder(folder),
                audit,
                () -> databaseAway,
                chosen);
    }

    private Path pendingFile() {
        return folder.resolve("auth/initial-admin-password.pending");
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
    void interruptedReplacementOfPasswordsContinuesForAllUsers() throws Exception {
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

    @Test
    void administratorsOfAnLdapDirectoryDoNotEndTheStartAndAreNotTheFirst() {
        store.passwords.put("LDAP_alice", Passwords.hash("nacos"));
        store.passwords.put("LDAP_bob", "$2a$10$EuWPZHzz32dJN7jexM34MOeYirDdFAZm2kuWj7VEOJhhZkDrxfvUu");
        String hash = store.passwords.get("LDAP_alice");

        FirstStart first = start();
        first.prepare(false);

        assertThat(first.isPrepared()).isTrue();
        assertThat(store.passwords)
                .as("neither of them can log in here")
                .containsOnlyKeys("LDAP_alice", "LDAP_bob", "nacos");
        assertThat(store.passwords.get("LDAP_alice")).isEqualTo(hash);
        assertThat(file()).exists();
    }

    @Test
    void usersOfAnLdapDirectoryGetNoPassword() {
        store.passwords.put("LDAP_alice", Passwords.hash("nacos"));
        store.passwords.put("root", Passwords.hash("password-of-root"));
        Map<String, String> before = Map.copyOf(store.passwords);

        FirstStart first = start();
        first.prepare(true);

        assertThat(first.isPrepared()).isTrue();
        assertThat(store.passwords).isEqualTo(before);
        assertThat(file()).doesNotExist();
    }

    @Test
    void theNodeThatMadeTheFirstUserHasItsPassword() throws Exception {
        FirstStart first = start();
        first.prepare(false);

        assertThat(first.isPrepared()).isTrue();
        assertThat(store.passwords).containsOnlyKeys("nacos");
        assertThat(Passwords.matches(Files.readString(file()).strip(), store.passwords.get("nacos")))
                .isTrue();
        assertThat(pendingFile()).doesNotExist();
        assertThat(audit.questions)
                .as("the own file says where the password is")
                .isEmpty();
    }

    @Test
    void laterNodeKeepsNoPasswordAndReadsTheFirstNodeFromTheAuditLog() {
        store.beforeTheNextChange = () -> store.passwords.put("nacos", Passwords.hash("password-of-another-node"));

        FirstStart second = start();
        second.prepare(false);

        assertThat(second.isPrepared()).isTrue();
        assertThat(Passwords.matches("password-of-another-node", store.passwords.get("nacos")))
                .isTrue();
        assertThat(file()).doesNotExist();
        assertThat(pendingFile()).doesNotExist();
        assertThat(audit.questions).singleElement().satisfies(question -> {
            assertThat(question.action()).isEqualTo("user.*");
            assertThat(question.target()).isEqualTo("nacos");
        });
    }

    @Test
    void aPasswordWhoseUserWasStoredWithoutAnAnswerIsKept() throws Exception {
        store.answersAreLost = true;
        FirstStart first = start();
        first.prepare(false);
        assertThat(first.isPrepared()).isFalse();
        String written = Files.readString(pendingFile()).strip();

        store.answersAreLost = false;
        FirstStart again = start();
        again.prepare(false);

        assertThat(again.isPrepared()).isTrue();
        assertThat(Files.readString(file()).strip()).isEqualTo(written);
        assertThat(Passwords.matches(written, store.passwords.get("nacos"))).isTrue();
        assertThat(pendingFile()).doesNotExist();
    }

    @Test
    void aPasswordThatAnotherNodeHasReplacedIsNotInTheFile() throws Exception {
        List.of("nacos", "root").forEach(name -> store.passwords.put(name, Passwords.hash("nacos")));
        store.beforeTheNextChange = () -> store.passwords.put("nacos", Passwords.hash("password-of-another-node"));

        FirstStart second = start();
        second.prepare(true);

        assertThat(second.isPrepared()).isTrue();
        assertThat(Passwords.matches("password-of-another-node", store.passwords.get("nacos")))
                .isTrue();
        assertThat(Passwords.matches(Files.readString(file()).strip(), store.passwords.get("root")))
                .as("the one that is left is there by itself")
                .isTrue();
    }

    @Test
    void theFileIsGoneWhenAnotherNodeHasReplacedAllPasswords() {
        store.passwords.put("nacos", Passwords.hash("nacos"));
        store.beforeTheNextChange = () -> store.passwords.put("nacos", Passwords.hash("password-of-another-node"));

        start().prepare(true);

        assertThat(file()).doesNotExist();
        assertThat(audit.questions).hasSize(1);
    }

    @Test
    void withoutTheDatabaseNothingIsMadeOrWritten() {
        databaseAway = true;
        FirstStart first = start();
        first.prepare(false);

        assertThat(first.isPrepared()).isFalse();
        assertThat(store.passwords).isEmpty();
        assertThat(pendingFile()).doesNotExist();
    }

    @Test
    void theChosenPasswordIsThatOfTheFirstUserAndIsNotCopied() throws Exception {
        chosen = new FirstPasswordFile(Files.writeString(folder.resolve("chosen"), "a password of the operator\n"));

        start().prepare(false);

        assertThat(Passwords.matches("a password of the operator", store.passwords.get("nacos")))
                .isTrue();
        assertThat(file()).doesNotExist();
        assertThat(pendingFile()).doesNotExist();
        assertThat(audit.questions).as("this node knows the file").isEmpty();
    }

    @Test
    void theChosenPasswordIsReadForTheFirstUserAlone() throws Exception {
        store.passwords.put("root", Passwords.hash("password-of-root"));
        chosen = new FirstPasswordFile(folder.resolve("absent"));

        FirstStart later = start();
        later.prepare(false);

        assertThat(later.isPrepared()).isTrue();
        assertThat(store.passwords).containsOnlyKeys("root");
    }

    @Test
    void unusableInitialPasswordEndsTheStart() throws Exception {
        chosen = new FirstPasswordFile(folder.resolve("absent"));
        assertThatThrownBy(() -> start().prepare(false))
                .hasMessageContaining("cairn.auth.first-password-file: " + folder.resolve("absent"))
                .hasMessageContaining("not readable");

        Files.writeString(folder.resolve("absent"), "nacos\n");
        assertThatThrownBy(() -> start().prepare(false))
                .hasMessageContaining("cairn.auth.first-password-file: ")
                .hasMessageContaining("the one that Nacos was shipped with");

        Files.writeString(folder.resolve("absent"), "\n");
        assertThatThrownBy(() -> start().prepare(false)).hasMessageContaining("0 bytes");
        assertThat(store.passwords).isEmpty();
    }

    /** The audit records of created users. */
    private static final class CreatedUsers implements AuditStore {

        private final List<Query> questions = new ArrayList<>();

        @Override
        public List<AuditRecord> find(Query query, long offset, int limit) {
            questions.add(query);
            return List.of(new AuditRecord(
                    1, 1, "server", "UNCHECKED", "", "user.create", "nacos", null, null, null, "10.0.0.1:8848"));
        }

        @Override
        public CompletionStage<Void> append(AuditRecord entry) {
            throw new UnsupportedOperationException("the store records what it does");
        }

        @Override
        public long count(Query query) {
            throw new UnsupportedOperationException("nobody counts");
        }

        @Override
        public List<AuditRecord> findBefore(Query query, long id, int limit) {
            throw new UnsupportedOperationException("the first one is enough");
        }

        @Override
        public CompletionStage<Integer> forgetBefore(long millis, int limit) {
            throw new UnsupportedOperationException("nothing is forgotten");
        }
    }

    /** Administrators and their passwords; refuses changes after the given number. */
    private static final class MemoryAccounts implements AccountStore {

        private final Map<String, String> passwords = new LinkedHashMap<>();
        private int changesLeft = 100;
        private boolean answersAreLost;
        private Runnable beforeTheNextChange = () -> {};

        @Override
        public AccountRows load() {
            List<AccountRows.User> users = new ArrayList<>();
            List<AccountRows.Role> roles = new ArrayList<>();
            passwords.forEach((name, password) -> {
                users.add(new AccountRows.User(name, password, true, true));
                roles.add(new AccountRows.Role(Accounts.ADMIN_ROLE, name));
            });
            return new AccountRows(users, roles, List.of(), List.of(), List.of());
        }

        @Override
        public CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord record) {
            if (changesLeft-- <= 0) {
                return CompletableFuture.failedFuture(
                        new CairnException(ErrorCode.INTERNAL, "the process ends here, for a test"));
            }
            beforeTheNextChange.run();
            if (changes.get(0) instanceof AccountChange.CreateFirstAdmin first) {
                if (passwords.keySet().stream().anyMatch(name -> !name.startsWith("LDAP_"))) {
                    return CompletableFuture.completedFuture(AccountChange.Outcome.EXISTS);
                }
                passwords.put(first.username(), first.password());
            } else {
                AccountChange.ReplacePassword change = (AccountChange.ReplacePassword) changes.get(0);
                if (!passwords.replace(change.username(), change.before(), change.password())) {
                    return CompletableFuture.completedFuture(AccountChange.Outcome.ABSENT);
                }
            }
            if (answersAreLost) {
                return CompletableFuture.failedFuture(
                        new CairnException(ErrorCode.UNAVAILABLE, "the answer is lost, for a test"));
            }
            return CompletableFuture.completedFuture(AccountChange.Outcome.DONE);
        }
    }
}
