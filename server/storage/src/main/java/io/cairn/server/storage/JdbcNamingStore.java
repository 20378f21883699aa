package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.NamingStore;
import io.cairn.server.naming.NamingWrite;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The registry's lasting part in tables of Cairn's own. Thread-safe. */
public final class JdbcNamingStore implements NamingStore {

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcNamingStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        return writer.submit(new NamingCommand(writes, by, committed)).thenAccept(done -> {});
    }

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {
        List<NamingWrite> all = readers.with("reading services and persistent instances", connection -> {
            List<NamingWrite> read = new ArrayList<>();
            rows(
                    connection,
                    "SELECT name, value FROM cairn_switch",
                    row -> read.add(new NamingWrite.SaveSwitch(row.getString(1), row.getString(2))));
            rows(
                    connection,
                    "SELECT namespace_id, group_name, service_name, settings FROM cairn_service",
                    row -> read.add(new NamingWrite.SaveService(service(row), NamingRows.settings(row.getString(4)))));
            rows(
                    connection,
                    "SELECT namespace_id, group_name, service_name, ip, port, cluster_name, override"
                            + " FROM cairn_instance_override",
                    row -> read.add(new NamingWrite.SaveOverride(
                            service(row),
                            new InstanceKey(row.getString(4), row.getInt(5), row.getString(6)),
                            NamingRows.override(row.getString(7)))));
            rows(
                    connection,
                    "SELECT namespace_id, group_name, service_name, instance FROM cairn_instance",
                    row -> read.add(new NamingWrite.SaveInstance(service(row), NamingRows.instance(row.getString(4)))));
            return read;
        });
        all.forEach(consumer);
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private static void rows(Connection connection, String sql, RowReader reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    private static ServiceKey service(ResultSet row) throws SQLException {
        return new ServiceKey(Namespace.ofNullable(row.getString(1)), row.getString(2), row.getString(3));
    }
}
