package io.cairn.server.storage.access;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AccountRows.IssuerRule;
import io.cairn.server.auth.AccountRows.PermissionRow;
import io.cairn.server.auth.AccountRows.Role;
import io.cairn.server.auth.AccountRows.Scope;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.AccountRows.User;
import io.cairn.server.auth.AccountStore;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accounts in Nacos's tables; tokens and further columns in Cairn's own. */
public final class JdbcAccountStore implements AccountStore {

    private static final char AFTER_ACTION = ' ';

    private static final String PURPOSE = "reading users and permissions";
    private static final Logger log = LoggerFactory.getLogger(JdbcAccountStore.class);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final Runnable onChange;
    private volatile boolean readOnce;

    public JdbcAccountStore(StoreWriter writer, ReadConnections readers) {
        this(writer, readers, () -> {});
    }

    /** @param onChange called on the writer's thread after each change; must not block */
    public JdbcAccountStore(StoreWriter writer, ReadConnections readers, Runnable onChange) {
        this.onChange = onChange;
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public AccountRows load() {
        // The mirror may be older than the last read: a revoked token would be valid again.
        return readOnce ? loadStored() : loadFirst();
    }

    private AccountRows loadStored() {
        AccountRows read = readers.with(PURPOSE, this::read);
        readOnce = true;
        return read;
    }

    private AccountRows loadFirst() {
        try {
            return loadStored();
        } catch (CairnException e) {
            log.debug("The database is away, so the mirror is asked: {}", e.text());
            return readers.withMirror(PURPOSE, this::read);
        }
    }

    private AccountRows read(Connection connection) throws SQLException {
        return new AccountRows(
                sorted(
                        readers.leftOut()
                                .all(
                                        connection,
                                        "users",
                                        "SELECT u.username, u.password, u.enabled, c.must_change FROM users u"
                                                + " LEFT JOIN cairn_user c ON c.username = u.username",
                                        row -> new User(
                                                text("users", "username", row.getString(1)),
                                                text("users", "password", row.getString(2)),
                                                row.getBoolean(3),
                                                row.getInt(4) != 0),
                                        1),
                        Comparator.comparing(User::name)),
                sorted(
                        readers.leftOut()
                                .all(
                                        connection,
                                        "roles",
                                        "SELECT DISTINCT role, username FROM roles",
                                        row -> new Role(
                                                text("roles", "role", row.getString(1)),
                                                text("roles", "username", row.getString(2))),
                                        2,
                                        1),
                        Comparator.comparing(Role::role).thenComparing(Role::username)),
                sorted(
                        readers.leftOut()
                                .all(
                                        connection,
                                        "permissions",
                                        "SELECT DISTINCT role, resource, action FROM permissions",
                                        row -> new PermissionRow(
                                                text("permissions", "role", row.getString(1)),
                                                text("permissions", "resource", row.getString(2)),
                                                text("permissions", "action", row.getString(3))),
                                        1,
                                        2,
                                        3),
                        Comparator.comparing(PermissionRow::role)
                                .thenComparing(PermissionRow::resource)
                                .thenComparing(PermissionRow::action)),
                readers.leftOut()
                        .all(
                                connection,
                                "cairn_token",
                                "SELECT id, name, digest, scopes, created_by, created_at, expires_at, revoked_at"
                                        + " FROM cairn_token ORDER BY created_at, id",
                                row -> new Token(
                                        row.getString(1),
                                        row.getString(2),
                                        row.getString(3),
                                        scopes(row.getString(4)),
                                        row.getString(5),
                                        row.getLong(6),
                                        row.getLong(7),
                                        row.getLong(8)),
                                1),
                readers.leftOut()
                        .all(
                                connection,
                                "cairn_issuer_rule",
                                "SELECT id, claim, value, role, changed_by, changed_at FROM cairn_issuer_rule"
                                        + " ORDER BY claim, value, role, id",
                                row -> new IssuerRule(
                                        row.getString(1),
                                        new RoleRule(row.getString(2), row.getString(3), row.getString(4)),
                                        row.getString(5),
                                        row.getLong(6)),
                                1));
    }

    /** Databases sort tables of other programs by rules of their own. */
    private static <T> List<T> sorted(List<T> rows, Comparator<T> order) {
        return rows.stream().sorted(order).toList();
    }

    private static String text(String table, String column, @Nullable String value) {
        RowRules.check(table, column, value);
        return Objects.requireNonNull(value);
    }

    /** A line for each: action, blank, resource. */
    static String scopes(List<Scope> scopes) {
        return scopes.stream()
                .map(scope -> scope.action() + AFTER_ACTION + scope.resource())
                .collect(Collectors.joining("\n"));
    }

    private static List<Scope> scopes(String lines) {
        return lines.lines()
                .map(line -> {
                    int blank = line.indexOf(AFTER_ACTION);
                    return new Scope(line.substring(blank + 1), line.substring(0, Math.max(0, blank)));
                })
                .toList();
    }

    @Override
    public CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord entry) {
        return writer.submit(new AccountCommand(changes, entry, onChange));
    }
}
