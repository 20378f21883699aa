package io.cairn.server.storage.access;

import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountRows.IssuerRule;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.LdapUsers;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Changes and records the accounts, or does nothing when the first change has no effect. */
final class AccountCommand implements StoreCommand<AccountChange.Outcome> {

    private static final String IS_USER = "SELECT 1 FROM users WHERE username = ?";
    private static final String HAS_ADMIN = "SELECT 1 FROM roles r JOIN users u ON u.username = r.username"
            + " WHERE r.role = ? AND SUBSTR(u.username, 1, " + LdapUsers.PREFIX.length() + ") <> ?";
    private static final String OF_ROLE = " FROM roles WHERE role = ?";
    private static final String OF_USER_AND_ROLE = OF_ROLE + " AND username = ?";
    private static final String SAME_RULE = "claim = ? AND value = ? AND role = ?";
    private static final String IS_RULE = "SELECT 1 FROM cairn_issuer_rule WHERE " + SAME_RULE;
    private static final String OF_PERMISSION = " FROM permissions WHERE role = ? AND resource = ? AND action = ?";

    private final List<AccountChange> changes;
    private final AuditRecord entry;
    private final Runnable onChange;

    /** @param onChange called on the writer's thread after a change */
    AccountCommand(List<AccountChange> changes, AuditRecord entry, Runnable onChange) {
        this.onChange = onChange;
        this.changes = List.copyOf(changes);
        this.entry = entry;
    }

    @Override
    public AccountChange.Outcome execute(WriteTransaction transaction) throws SQLException {
        AccountChange.Outcome first = execute(changes.get(0), transaction);
        if (first != AccountChange.Outcome.DONE) {
            return first;
        }
        for (AccountChange change : changes.subList(1, changes.size())) {
            execute(change, transaction);
        }
        AuditRow.insert(transaction, entry);
        ChangeRow.insertAccount(transaction, entry.target());
        return AccountChange.Outcome.DONE;
    }

    private static AccountChange.Outcome execute(AccountChange change, WriteTransaction transaction)
            throws SQLException {
        if (change instanceof AccountChange.CreateUser create) {
            return create(create, transaction);
        } else if (change instanceof AccountChange.CreateFirstAdmin create) {
            return create(create, transaction);
        } else if (change instanceof AccountChange.SetPassword set) {
            String ofUser = ofUser(transaction);
            if (!exists(transaction, "SELECT 1 FROM users" + ofUser, set.username())) {
                return AccountChange.Outcome.ABSENT;
            }
            update(transaction, "UPDATE users SET password = ?" + ofUser, set.password(), set.username());
            mustChange(transaction, set.username(), set.mustChange());
        } else if (change instanceof AccountChange.ReplacePassword replace) {
            String ofUser = ofUser(transaction) + " AND password = ?";
            if (!exists(transaction, "SELECT 1 FROM users" + ofUser, replace.username(), replace.before())) {
                return AccountChange.Outcome.ABSENT;
            }
            update(
                    transaction,
                    "UPDATE users SET password = ?" + ofUser,
                    replace.password(),
                    replace.username(),
                    replace.before());
            mustChange(transaction, replace.username(), true);
        } else if (change instanceof AccountChange.DeleteUser delete) {
            String ofUser = ofUser(transaction);
            if (!exists(transaction, "SELECT 1 FROM users" + ofUser, delete.username())) {
                return AccountChange.Outcome.ABSENT;
            }
            update(transaction, "DELETE FROM users" + ofUser, delete.username());
            update(transaction, "DELETE FROM roles" + ofUser, delete.username());
            update(transaction, "DELETE FROM cairn_user WHERE username = ?", delete.username());
        } else if (change instanceof AccountChange.GrantRole grant) {
            if (exists(transaction, "SELECT 1" + OF_USER_AND_ROLE, grant.role(), grant.username())) {
                return AccountChange.Outcome.EXISTS;
            }
            grant(transaction, grant.username(), grant.role());
        } else if (change instanceof AccountChange.RevokeRole revoke) {
            return revoke(revoke, transaction);
        } else if (change instanceof AccountChange.AddPermission add) {
            if (exists(transaction, "SELECT 1" + OF_PERMISSION, add.role(), add.resource(), add.action())) {
                return AccountChange.Outcome.EXISTS;
            }
            update(
                    transaction,
                    "INSERT INTO permissions (role, resource, action) VALUES (?, ?, ?)",
                    add.role(),
                    add.resource(),
                    add.action());
        } else if (change instanceof AccountChange.RemovePermission remove) {
            Dialect dialect = transaction.dialect();
            int removed = update(
                    transaction,
                    "DELETE FROM permissions WHERE " + dialect.exactly("role") + " AND " + dialect.exactly("resource")
                            + " AND " + dialect.exactly("action"),
                    remove.role(),
                    remove.resource(),
                    remove.action());
            return removed > 0 ? AccountChange.Outcome.DONE : AccountChange.Outcome.ABSENT;
        } else if (change instanceof AccountChange.CreateToken create) {
            create(create.token(), transaction);
        } else if (change instanceof AccountChange.RevokeToken revoke) {
            PreparedStatement update =
                    transaction.prepared("UPDATE cairn_token SET revoked_at = ? WHERE id = ? AND revoked_at = 0");
            update.setLong(1, revoke.atMillis());
            update.setString(2, revoke.id());
            return update.executeUpdate() > 0 ? AccountChange.Outcome.DONE : AccountChange.Outcome.ABSENT;
        } else if (change instanceof AccountChange.CreateRule create) {
            return create(create.rule(), transaction);
        } else if (change instanceof AccountChange.UpdateRule update) {
            return update(update, transaction);
        } else if (change instanceof AccountChange.DeleteRule delete) {
            RoleRule before = delete.before();
            int removed = update(
                    transaction,
                    "DELETE FROM cairn_issuer_rule WHERE id = ? AND " + SAME_RULE,
                    delete.id(),
                    before.claim(),
                    before.value(),
                    before.role());
            return removed > 0 ? AccountChange.Outcome.DONE : AccountChange.Outcome.ABSENT;
        }
        return AccountChange.Outcome.DONE;
    }

    private static String ofUser(WriteTransaction transaction) {
        return " WHERE " + transaction.dialect().exactly("username");
    }

    private static AccountChange.Outcome create(AccountChange.CreateUser create, WriteTransaction transaction)
            throws SQLException {
        if (exists(transaction, IS_USER, create.username())) {
            return AccountChange.Outcome.EXISTS;
        }
        PreparedStatement insert =
                transaction.prepared("INSERT INTO users (username, password, enabled) VALUES (?, ?, ?)");
        insert.setString(1, create.username());
        insert.setString(2, create.password());
        insert.setBoolean(3, true);
        insert.executeUpdate();
        // A former user of that name may have had roles; the new one must not.
        update(transaction, "DELETE FROM roles WHERE username = ?", create.username());
        mustChange(transaction, create.username(), create.mustChange());
        return AccountChange.Outcome.DONE;
    }

    /** The lock of the revision makes this one step for all nodes. */
    private static AccountChange.Outcome create(AccountChange.CreateFirstAdmin create, WriteTransaction transaction)
            throws SQLException {
        if (exists(transaction, HAS_ADMIN, Accounts.ADMIN_ROLE, LdapUsers.PREFIX)) {
            return AccountChange.Outcome.EXISTS;
        }
        AccountChange.Outcome made =
                create(new AccountChange.CreateUser(create.username(), create.password(), true), transaction);
        if (made == AccountChange.Outcome.DONE) {
            grant(transaction, create.username(), Accounts.ADMIN_ROLE);
        }
        return made;
    }

    private static void grant(WriteTransaction transaction, String username, String role) throws SQLException {
        update(transaction, "INSERT INTO roles (username, role) VALUES (?, ?)", username, role);
    }

    private static void mustChange(WriteTransaction transaction, String username, boolean mustChange)
            throws SQLException {
        update(transaction, "DELETE FROM cairn_user WHERE username = ?", username);
        PreparedStatement insert = transaction.prepared("INSERT INTO cairn_user (username, must_change) VALUES (?, ?)");
        insert.setString(1, username);
        insert.setInt(2, mustChange ? 1 : 0);
        insert.executeUpdate();
    }

    private static AccountChange.Outcome revoke(AccountChange.RevokeRole revoke, WriteTransaction transaction)
            throws SQLException {
        String ofRole = "DELETE FROM roles WHERE " + transaction.dialect().exactly("role");
        int removed = revoke.username() == null
                ? update(transaction, ofRole, revoke.role())
                : update(
                        transaction,
                        ofRole + " AND " + transaction.dialect().exactly("username"),
                        revoke.role(),
                        revoke.username());
        return removed > 0 ? AccountChange.Outcome.DONE : AccountChange.Outcome.ABSENT;
    }

    private static void create(Token token, WriteTransaction transaction) throws SQLException {
        PreparedStatement insert = transaction.prepared("INSERT INTO cairn_token"
                + " (id, name, digest, scopes, created_by, created_at, expires_at, revoked_at)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        insert.setString(1, token.id());
        insert.setString(2, token.name());
        insert.setString(3, token.digest());
        insert.setString(4, JdbcAccountStore.scopes(token.scopes()));
        insert.setString(5, token.createdBy());
        insert.setLong(6, token.createdAtMillis());
        insert.setLong(7, token.expiresAtMillis());
        insert.setLong(8, token.revokedAtMillis());
        insert.executeUpdate();
    }

    private static AccountChange.Outcome create(IssuerRule made, WriteTransaction transaction) throws SQLException {
        RoleRule rule = made.rule();
        if (exists(transaction, IS_RULE, rule.claim(), rule.value(), rule.role())) {
            return AccountChange.Outcome.EXISTS;
        }
        PreparedStatement insert = transaction.prepared("INSERT INTO cairn_issuer_rule"
                + " (claim, value, role, changed_by, changed_at, id) VALUES (?, ?, ?, ?, ?, ?)");
        bind(insert, rule.claim(), rule.value(), rule.role(), made.changedBy());
        insert.setLong(5, made.changedAtMillis());
        insert.setString(6, made.id());
        insert.executeUpdate();
        return AccountChange.Outcome.DONE;
    }

    private static AccountChange.Outcome update(AccountChange.UpdateRule change, WriteTransaction transaction)
            throws SQLException {
        RoleRule before = change.before();
        RoleRule rule = change.rule().rule();
        String id = change.rule().id();
        if (!exists(transaction, IS_RULE + " AND id = ?", before.claim(), before.value(), before.role(), id)) {
            return AccountChange.Outcome.ABSENT;
        }
        if (exists(transaction, IS_RULE + " AND id <> ?", rule.claim(), rule.value(), rule.role(), id)) {
            return AccountChange.Outcome.EXISTS;
        }
        PreparedStatement update = transaction.prepared("UPDATE cairn_issuer_rule"
                + " SET claim = ?, value = ?, role = ?, changed_by = ?, changed_at = ? WHERE id = ?");
        bind(update, rule.claim(), rule.value(), rule.role(), change.rule().changedBy());
        update.setLong(5, change.rule().changedAtMillis());
        update.setString(6, id);
        update.executeUpdate();
        return AccountChange.Outcome.DONE;
    }

    private static boolean exists(WriteTransaction transaction, String sql, String... texts) throws SQLException {
        PreparedStatement select = transaction.prepared(sql);
        bind(select, texts);
        try (ResultSet rows = select.executeQuery()) {
            return rows.next();
        }
    }

    private static int update(WriteTransaction transaction, String sql, String... texts) throws SQLException {
        PreparedStatement update = transaction.prepared(sql);
        bind(update, texts);
        return update.executeUpdate();
    }

    private static void bind(PreparedStatement statement, String... texts) throws SQLException {
        for (int i = 0; i < texts.length; i++) {
            statement.setString(i + 1, texts[i]);
        }
    }

    @Override
    public void committed(AccountChange.Outcome result) {
        // The caller of the command loads the accounts into memory again.
        onChange.run();
    }

    @Override
    public void announce(AccountChange.Outcome result) {}

    @Override
    public int weightBytes() {
        return 512 * changes.size();
    }
}
