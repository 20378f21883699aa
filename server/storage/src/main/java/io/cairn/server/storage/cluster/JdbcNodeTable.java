package io.cairn.server.storage.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.ReadConnections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table {@code cairn_node}, on its own connection: a heartbeat waits neither for the writer nor for the lock of
 * {@code cairn_revision}.
 */
public final class JdbcNodeTable implements NodeTable, AutoCloseable {

    private static final String VALUES = "incarnation, group_port, grpc_port, version, protocol, state, sees, revision,"
            + " connections, started_at";
    private static final int VALUE_COUNT = 10;
    private static final String SEPARATOR = ",";
    private static final Logger log = LoggerFactory.getLogger(JdbcNodeTable.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Circuit circuit;
    private final String update;
    private final String insert;
    private final String select;
    private final String forget;

    @GuardedBy("this")
    private @Nullable Connection connection;

    /**
     * @param source opens connections with a time limit of a few seconds
     * @param circuit refuses callers at once while open
     */
    public JdbcNodeTable(ConnectionSource source, Dialect dialect, Circuit circuit) {
        this.source = source;
        this.dialect = dialect;
        this.circuit = circuit;
        String now = dialect.nowMillis();
        this.update = "UPDATE cairn_node SET " + VALUES.replace(",", " = ?,") + " = ?, heartbeat_at = " + now
                + " WHERE address = ? AND (incarnation <= ? OR heartbeat_at < " + now + " - "
                + BEATING_WITHIN.toMillis() + ")";
        this.insert = "INSERT INTO cairn_node (" + VALUES + ", address, heartbeat_at) VALUES ("
                + "?, ".repeat(VALUE_COUNT + 1) + now + ")";
        this.select = "SELECT address, " + VALUES + ", " + now + " - heartbeat_at FROM cairn_node WHERE heartbeat_at > "
                + now + " - " + RECENT_WITHIN.toMillis() + " ORDER BY address";
        this.forget = "DELETE FROM cairn_node WHERE heartbeat_at < " + now + " - " + FORGOTTEN_AFTER.toMillis();
    }

    @Override
    public boolean beat(Row row) {
        return with("writing the heartbeat", open -> {
            try (PreparedStatement statement = open.prepareStatement(update)) {
                int at = bind(statement, row);
                statement.setLong(at, row.node().incarnation());
                if (statement.executeUpdate() > 0) {
                    return true;
                }
            }
            try (PreparedStatement statement = open.prepareStatement(insert)) {
                bind(statement, row);
                statement.executeUpdate();
                return true;
            } catch (SQLException e) {
                if (dialect.isDuplicateKey(e)) {
                    return false;
                }
                throw e;
            }
        });
    }

    private static int bind(PreparedStatement statement, Row row) throws SQLException {
        statement.setLong(1, row.node().incarnation());
        statement.setInt(2, row.groupPort());
        statement.setInt(3, row.grpcPort());
        statement.setString(4, row.version());
        statement.setInt(5, row.protocol());
        statement.setString(6, row.state());
        statement.setString(7, String.join(SEPARATOR, row.sees()));
        statement.setLong(8, row.revision());
        statement.setInt(9, row.connections());
        statement.setLong(10, row.startedAtMillis());
        statement.setString(VALUE_COUNT + 1, row.node().address());
        return VALUE_COUNT + 2;
    }

    @Override
    public List<Heartbeat> recentNodes() {
        return with("reading the nodes", open -> {
            List<Heartbeat> nodes = new ArrayList<>();
            try (PreparedStatement statement = open.prepareStatement(select);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Heartbeat node = read(rows);
                    if (node != null) {
                        nodes.add(node);
                    }
                }
            }
            return nodes;
        });
    }

    private static @Nullable Heartbeat read(ResultSet row) throws SQLException {
        String sees = row.getString(8);
        NodeId node;
        try {
            node = new NodeId(row.getString(1), row.getLong(2));
        } catch (IllegalArgumentException e) {
            // Another program or a later release wrote it; use the other nodes.
            log.debug("Passed over a row of cairn_node: {}", e.getMessage());
            return null;
        }
        // Negative after a switch to a database with a slow clock.
        long ageMillis = Math.max(0, row.getLong(12));
        return new Heartbeat(
                new Row(
                        node,
                        row.getInt(3),
                        row.getInt(4),
                        row.getString(5),
                        row.getInt(6),
                        row.getString(7),
                        sees.isEmpty() ? List.of() : List.of(sees.split(SEPARATOR)),
                        row.getLong(9),
                        row.getInt(10),
                        row.getLong(11)),
                Duration.ofMillis(ageMillis));
    }

    @Override
    public void remove(NodeId node) {
        with("removing this node", open -> {
            try (PreparedStatement delete =
                    open.prepareStatement("DELETE FROM cairn_node WHERE address = ? AND incarnation = ?")) {
                delete.setString(1, node.address());
                delete.setLong(2, node.incarnation());
                return delete.executeUpdate();
            }
        });
    }

    @Override
    public int forgetSilent() {
        return with("removing nodes that are gone", open -> {
            try (PreparedStatement delete = open.prepareStatement(forget)) {
                return delete.executeUpdate();
            }
        });
    }

    /** Runs work that may run twice: the database may have closed an idle connection. */
    private synchronized <R> R with(String purpose, ReadConnections.Work<R> work) {
        CairnException away = circuit.cause();
        if (away != null) {
            disconnect();
            throw new CairnException(ErrorCode.UNAVAILABLE, away.text(), away.getCause());
        }
        boolean wasConnected = connection != null;
        try {
            return run(work);
        } catch (SQLException e) {
            if (!wasConnected) {
                throw failed(purpose, e);
            }
            log.debug("{} is tried again on a new connection", purpose, e);
        }
        try {
            return run(work);
        } catch (SQLException e) {
            throw failed(purpose, e);
        }
    }

    private CairnException failed(String purpose, SQLException e) {
        return new CairnException(
                ErrorCode.UNAVAILABLE, "The database failed while " + purpose + ": " + dialect.explain(e), e);
    }

    @GuardedBy("this")
    private <R> R run(ReadConnections.Work<R> work) throws SQLException {
        try {
            Connection present = connection;
            if (present == null) {
                present = source.open();
                connection = present;
            }
            return work.run(present);
        } catch (SQLException | RuntimeException e) {
            disconnect();
            throw e;
        }
    }

    @GuardedBy("this")
    private void disconnect() {
        Connection present = connection;
        connection = null;
        if (present != null) {
            try {
                present.close();
            } catch (SQLException e) {
                log.debug("Closing a connection failed", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        disconnect();
    }
}
