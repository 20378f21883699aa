package io.cairn.server.storage.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.FaultyConnections;
import io.cairn.server.storage.writer.StoreMeters;
import io.cairn.server.storage.writer.StoreWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behavior of every store of accounts and of the audit log, on every database. */
abstract class AccountStoreContract {

    private static final Caller ANNA =
            new Caller(new Principal("anna", Principal.Kind.USER, true, List.of()), "10.0.0.9");
    private static final AuditStore.Query ALL = new AuditStore.Query(null, null, null, null, 0, Long.MAX_VALUE);

    @TempDir
    Path folder;

    private FaultyConnections connections;
    private ReadConnections readers;
    private StoreWriter writer;
    private JdbcAccountStore store;
    private JdbcAuditStore audit;

    /** A database with an up-to-date schema; the same database for the same folder. */
    abstract TestDatabase database(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        TestDatabase database = database(folder);
        connections = new FaultyConnections(database.writer());
        readers = new ReadConnections(database.reader(), database.dialect());
        writer = new StoreWriter(
                connections,
                database.dialect(),
                Clock.systemUTC(),
                TestStore.LIMITS,
                new StoreMeters(new SimpleMeterRegistry()),
                () -> {});
        store = new JdbcAccountStore(writer, readers);
        audit = new JdbcAuditStore(writer, readers);
        writer.start();
    }

    @AfterEach
    void close() {
        writer.close();
        readers.close();
    }

    private AccountChange.Outcome apply(AccountChange... changes) {
        return TestStore.get(store.apply(List.of(changes), AuditRecord.of(ANNA, "test", "target")));
    }

    private static AccountRows.IssuerRule rule(String id, String text) {
        return new AccountRows.IssuerRule(id, RoleRule.parse(text), "anna", 5);
    }

    @Test
    void rulesOfAnIssuerAreCreatedChangedAndDeletedOnce() {
        AccountRows.IssuerRule orders = rule("01", "groups=Orders-* -> ORDERS");
        AccountRows.IssuerRule platform = rule("02", "groups=platform -> ROLE_ADMIN");
        assertThat(apply(new AccountChange.CreateRule(orders))).isEqualTo(AccountChange.Outcome.DONE);
        assertThat(apply(new AccountChange.CreateRule(platform))).isEqualTo(AccountChange.Outcome.DONE);
        assertThat(apply(new AccountChange.CreateRule(rule("03", "groups=Orders-* -> ORDERS"))))
                .isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(store.load().rules()).containsExactly(orders, platform);

        AccountRows.IssuerRule changed = rule("01", "groups=orders-* -> ORDERS");
        assertThat(apply(new AccountChange.UpdateRule(platform.rule(), changed)))
                .as("it was another rule")
                .isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.UpdateRule(orders.rule(), rule("01", "groups=platform -> ROLE_ADMIN"))))
                .isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(apply(new AccountChange.UpdateRule(orders.rule(), changed))).isEqualTo(AccountChange.Outcome.DONE);
        assertThat(store.load().rules()).containsExactlyInAnyOrder(changed, platform);

        assertThat(apply(new AccountChange.DeleteRule("01", orders.rule()))).isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.DeleteRule("01", changed.rule()))).isEqualTo(AccountChange.Outcome.DONE);
        assertThat(store.load().rules()).containsExactly(platform);
    }

    @Test
    void keepsEverythingAfterReopening() throws Exception {
        AccountRows.Token token = new AccountRows.Token(
                "0011223344556677",
                "deploy",
                "digest",
                List.of(new AccountRows.Scope("dev:*:config/a b", "rw"), new AccountRows.Scope("*", "r")),
                "anna",
                1,
                2,
                0);
        assertThat(apply(new AccountChange.CreateUser("ben", "hash", true))).isEqualTo(AccountChange.Outcome.DONE);
        apply(new AccountChange.GrantRole("dev", "ben"));
        apply(new AccountChange.AddPermission("dev", "dev:*:*", "rw"));
        apply(new AccountChange.CreateToken(token));
        close();
        open();

        AccountRows rows = store.load();
        assertThat(rows.users()).containsExactly(new AccountRows.User("ben", "hash", true, true));
        assertThat(rows.roles()).containsExactly(new AccountRows.Role("dev", "ben"));
        assertThat(rows.permissions()).containsExactly(new AccountRows.PermissionRow("dev", "dev:*:*", "rw"));
        assertThat(rows.tokens()).containsExactly(token);
        assertThat(audit.count(ALL)).isEqualTo(4);
    }

    @Test
    void reportsExistingAndMissingAccountsWithoutARecord() {
        apply(new AccountChange.CreateUser("ben", "hash", false), new AccountChange.GrantRole("dev", "ben"));
        apply(new AccountChange.AddPermission("dev", "dev:*:*", "r"));
        long records = audit.count(ALL);

        assertThat(apply(new AccountChange.CreateUser("ben", "other", false))).isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(apply(new AccountChange.GrantRole("dev", "ben"))).isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(apply(new AccountChange.AddPermission("dev", "dev:*:*", "r")))
                .isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(apply(new AccountChange.SetPassword("nobody", "hash", false)))
                .isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.DeleteUser("nobody"))).isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.RevokeRole("other", "ben"))).isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.RevokeRole("other", null))).isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.RemovePermission("dev", "dev:*:*", "rw")))
                .isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(apply(new AccountChange.RevokeToken("nothing", 1))).isEqualTo(AccountChange.Outcome.ABSENT);
        assertThat(store.load().users()).extracting(AccountRows.User::password).containsExactly("hash");
        assertThat(audit.count(ALL)).isEqualTo(records);
    }

    @Test
    void deletesAUserWithItsRolesAndASimilarNameDoesNotInheritThem() {
        apply(new AccountChange.CreateUser("ben", "hash", false), new AccountChange.GrantRole("dev", "ben"));
        apply(new AccountChange.CreateUser("Ben", "hash", false), new AccountChange.GrantRole("dev", "Ben"));

        apply(new AccountChange.DeleteUser("ben"));

        assertThat(store.load().users()).extracting(AccountRows.User::name).containsExactly("Ben");
        assertThat(store.load().roles()).containsExactly(new AccountRows.Role("dev", "Ben"));
        apply(new AccountChange.GrantRole("left-over", "carl"));
        apply(new AccountChange.CreateUser("carl", "hash", false));
        assertThat(store.load().roles()).containsExactly(new AccountRows.Role("dev", "Ben"));
    }

    @Test
    void revokesPasswordsRolesAndTokens() {
        apply(new AccountChange.CreateUser("ben", "hash", true), new AccountChange.GrantRole("dev", "ben"));
        apply(new AccountChange.AddPermission("dev", "dev:*:*", "r"));
        apply(new AccountChange.CreateToken(
                new AccountRows.Token("1", "t", "d", List.of(new AccountRows.Scope("*", "r")), "anna", 1, 2, 0)));

        apply(new AccountChange.SetPassword("ben", "other", false));
        apply(new AccountChange.RevokeRole("dev", null));
        apply(new AccountChange.RemovePermission("dev", "dev:*:*", "r"));
        apply(new AccountChange.RevokeToken("1", 77));

        AccountRows rows = store.load();
        assertThat(rows.users()).containsExactly(new AccountRows.User("ben", "other", true, false));
        assertThat(rows.roles()).isEmpty();
        assertThat(rows.permissions()).isEmpty();
        assertThat(rows.tokens()).extracting(AccountRows.Token::revokedAtMillis).containsExactly(77L);
        assertThat(apply(new AccountChange.RevokeToken("1", 78))).isEqualTo(AccountChange.Outcome.ABSENT);
    }

    @Test
    void storesAChangeTogetherWithItsRecord() {
        connections.fail("INSERT INTO cairn_audit", new SQLException("no room for a test"));

        assertThatThrownBy(() -> apply(new AccountChange.CreateUser("ben", "hash", false)))
                .isInstanceOf(CairnException.class);

        assertThat(store.load().users()).isEmpty();
        assertThat(audit.count(ALL)).isZero();
    }

    @Test
    void acknowledgesAChangeWhoseCommitResponseWasLost() {
        connections.loseTheAnswerToCommit();

        assertThat(apply(new AccountChange.CreateUser("ben", "hash", false))).isEqualTo(AccountChange.Outcome.DONE);

        assertThat(store.load().users()).hasSize(1);
        assertThat(audit.count(ALL)).isEqualTo(1);
    }

    @Test
    void oneOfSeveralNodesCreatesTheFirstUser() throws Exception {
        AuditRecord entry = AuditRecord.of(Caller.SERVER, "user.create", "nacos");
        try (TestStore other = TestStore.start(database(folder))) {
            JdbcAccountStore ofOther = new JdbcAccountStore(other.writer, other.readers);
            List<CompletionStage<AccountChange.Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                AccountChange first = new AccountChange.CreateFirstAdmin(i == 0 ? "nacos" : "cairn-admin", "hash" + i);
                outcomes.add((i % 2 == 0 ? store : ofOther).apply(List.of(first), entry));
            }

            assertThat(outcomes.stream().map(TestStore::get))
                    .containsOnlyOnce(AccountChange.Outcome.DONE)
                    .filteredOn(outcome -> outcome == AccountChange.Outcome.EXISTS)
                    .hasSize(3);
        }
        assertThat(store.load().users()).singleElement().satisfies(user -> assertThat(user.mustChange())
                .isTrue());
        assertThat(store.load().roles()).singleElement().satisfies(role -> assertThat(role.role())
                .isEqualTo("ROLE_ADMIN"));
        assertThat(audit.count(ALL)).isEqualTo(1);
    }

    @Test
    void aUserOfAnLdapDirectoryIsNotTheFirst() {
        apply(
                new AccountChange.CreateUser("LDAP_alice", "hash", false),
                new AccountChange.GrantRole("ROLE_ADMIN", "LDAP_alice"));

        assertThat(apply(new AccountChange.CreateFirstAdmin("nacos", "hash"))).isEqualTo(AccountChange.Outcome.DONE);
        assertThat(apply(new AccountChange.CreateFirstAdmin("cairn-admin", "hash")))
                .isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(store.load().users())
                .extracting(AccountRows.User::name)
                .containsExactlyInAnyOrder("LDAP_alice", "nacos");
    }

    @Test
    void replacesAPasswordOnlyIfItIsUnchanged() {
        apply(new AccountChange.CreateUser("nacos", "known", false));

        assertThat(apply(new AccountChange.ReplacePassword("nacos", "known", "first")))
                .isEqualTo(AccountChange.Outcome.DONE);
        assertThat(apply(new AccountChange.ReplacePassword("nacos", "known", "second")))
                .isEqualTo(AccountChange.Outcome.ABSENT);

        assertThat(store.load().users()).containsExactly(new AccountRows.User("nacos", "first", true, true));
    }

    @Test
    void aUserWithoutPermissionsDoesNotPreventTheFirstAdministrator() {
        apply(new AccountChange.CreateUser("nacos", "hash", false));
        apply(new AccountChange.GrantRole("ROLE_ADMIN", "deleted"));

        assertThat(apply(new AccountChange.CreateFirstAdmin("nacos", "h"))).isEqualTo(AccountChange.Outcome.EXISTS);
        assertThat(apply(new AccountChange.CreateFirstAdmin("cairn-admin", "h")))
                .isEqualTo(AccountChange.Outcome.DONE);
    }

    @Test
    void findsRecordsByTheirFieldsNewestFirst() {
        for (int i = 1; i <= 10; i++) {
            TestStore.get(audit.append(new AuditRecord(
                    0,
                    i * 1000L,
                    i % 2 == 0 ? "anna" : "ben",
                    "USER",
                    "10.0.0." + i,
                    "config.publish",
                    "t" + i,
                    "b",
                    "a",
                    null,
                    null)));
        }

        assertThat(audit.find(ALL, 0, 3)).extracting(AuditRecord::target).containsExactly("t10", "t9", "t8");
        assertThat(audit.find(ALL, 9, 3)).extracting(AuditRecord::target).containsExactly("t1");
        long third = audit.find(ALL, 2, 1).get(0).id();
        assertThat(audit.findBefore(ALL, third, 3))
                .extracting(AuditRecord::target)
                .containsExactly("t7", "t6", "t5");
        assertThat(audit.count(new AuditStore.Query("anna", null, null, null, 0, 5000)))
                .isEqualTo(2);
        assertThat(audit.find(new AuditStore.Query(null, null, "t4", null, 0, Long.MAX_VALUE), 0, 5))
                .singleElement()
                .satisfies(found -> {
                    assertThat(found.who()).isEqualTo("anna");
                    assertThat(found.atMillis()).isEqualTo(4000);
                    assertThat(found.before()).isEqualTo("b");
                    assertThat(found.detail()).isNull();
                });
        assertThat(audit.count(new AuditStore.Query("' OR 1=1 --", null, null, null, 0, Long.MAX_VALUE)))
                .isZero();
        assertThat(TestStore.get(audit.forgetBefore(6000, 3))).isEqualTo(3);
        assertThat(TestStore.get(audit.forgetBefore(6000, 3))).isEqualTo(2);
        assertThat(audit.count(ALL)).isEqualTo(5);
    }
}
