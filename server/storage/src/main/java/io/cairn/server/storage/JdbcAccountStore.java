package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AccountRows.PermissionRow;
import io.cairn.server.auth.AccountRows.Role;
import io.cairn.server.auth.AccountRows.Scope;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.AccountRows.User;
import io.cairn.server.auth.AccountStore;
import io.cairn.server.auth.AuditRecord;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Users, roles and permissions in the tables of Nacos; tokens, and what Nacos has no column for, in tables of Cairn's own.
 * Thread-safe.
 */
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
        // The mirror may be older than what was read before: a token revoked since would be valid again.
        return readOnce ? loadStored() : loadFirst();
    }

    private AccountRows loadStored() {
        AccountRows read = readers.with(PURPOSE, JdbcAccountStore::read);
        readOnce = true;
        return read;
    }

    private AccountRows loadFirst() {
        try {
            return loadStored();
        } catch (CairnException e) {
            log.debug("The database is away, so the mirror is asked: {}", e.text());
            return readers.withMirror(PURPOSE, JdbcAccountStore::read);
        }
    }

    private static AccountRows read(Connection connection) throws SQLException {
        return new AccountRows(
                rows(
                        connection,
                        "SELECT u.username, u.password, u.enabled, c.must_change FROM users u"
                                + " LEFT JOIN cairn_user c ON c.username = u.username ORDER BY u.username",
                        row -> new User(row.getString(1), row.getString(2), row.getBoolean(3), row.getInt(4) != 0)),
                rows(
                        connection,
                        "SELECT role, username FROM roles ORDER BY role, username",
                        row -> new Role(row.getString(1), row.getString(2))),
                rows(
                        connection,
                        "SELECT role, resource, action FROM permissions ORDER BY role, resource, action",
                        row -> new PermissionRow(row.getString(1), row.getString(2), row.getString(3))),
                rows(
                        connection,
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
                                row.getLong(8))));
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> List<T> rows(Connection connection, String sql, RowReader<T> reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        }
    }

    /** A line for each: the action, a blank, the resource. */
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
