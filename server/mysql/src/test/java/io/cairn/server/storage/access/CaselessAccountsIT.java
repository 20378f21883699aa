package io.cairn.server.storage.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountChange.Outcome;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.mysql.MySqlDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import io.cairn.server.storage.mysql.NacosGeneration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Accounts in a database of Nacos whose tables take capital and small letters for the same. */
@Tag("full")
@Tag("mysql")
class CaselessAccountsIT {

    @Test
    void aNameInOtherCaseIsNotTheAdministrator() throws Exception {
        try (TestSchema schema = TestSchema.create(CaselessAccountsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            NacosGeneration.V2_5.create(schema);
            for (String table : List.of("users", "roles", "permissions")) {
                schema.execute("ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8 COLLATE utf8_general_ci");
            }
            database.prepare();
            try (TestStore store =
                    TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()))) {
                JdbcAccountStore accounts = new JdbcAccountStore(store.writer, store.readers);
                AccountRows before = accounts.load();
                assertThat(before.users()).extracting(AccountRows.User::name).containsExactly("nacos");

                // The guard of the last administrator knows 'nacos' and ROLE_ADMIN, so these pass it.
                assertThat(apply(accounts, new AccountChange.DeleteUser("NACOS")))
                        .isEqualTo(Outcome.ABSENT);
                assertThat(apply(accounts, new AccountChange.SetPassword("Nacos", "x", false)))
                        .isEqualTo(Outcome.ABSENT);
                assertThat(apply(accounts, new AccountChange.RevokeRole("role_admin", null)))
                        .isEqualTo(Outcome.ABSENT);
                assertThat(apply(accounts, new AccountChange.RevokeRole("ROLE_ADMIN", "Nacos")))
                        .isEqualTo(Outcome.ABSENT);
                assertThat(apply(accounts, new AccountChange.RemovePermission("DEV", "dev:*:*", "rw")))
                        .isEqualTo(Outcome.ABSENT);
                assertThat(apply(accounts, new AccountChange.CreateUser("Nacos", "x", false)))
                        .isEqualTo(Outcome.EXISTS);
                assertThat(accounts.load()).isEqualTo(before);

                assertThat(apply(accounts, new AccountChange.SetPassword("nacos", "new", false)))
                        .isEqualTo(Outcome.DONE);
                assertThat(accounts.load().users().get(0).password()).isEqualTo("new");
                assertThat(apply(accounts, new AccountChange.RemovePermission("dev", "dev:*:*", "rw")))
                        .isEqualTo(Outcome.DONE);
                assertThat(apply(accounts, new AccountChange.DeleteUser("nacos")))
                        .isEqualTo(Outcome.DONE);
                assertThat(accounts.load().users()).isEmpty();
            }
        }
    }

    private static Outcome apply(JdbcAccountStore accounts, AccountChange change) {
        return TestStore.get(accounts.apply(List.of(change), AuditRecord.of(Caller.SERVER, "test", "x")));
    }
}
