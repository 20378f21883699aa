package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.NamingChange;
import io.cairn.server.naming.NamingStore;
import io.cairn.server.naming.NamingWrite;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The registry's lasting part in tables of Cairn's own. Thread-safe. */
public final class JdbcNamingStore implements NamingStore {

    private static final String SWITCHES = "SELECT name, value FROM cairn_switch";
    /** Services before what belongs to them. */
    private static final List<Table> TABLES = List.of(
            Table.of(
                    "settings FROM cairn_service",
                    row -> new NamingWrite.SaveService(service(row), NamingRows.settings(row.getString(4)))),
            Table.of(
                    "ip, port, cluster_name, override FROM cairn_instance_override",
                    row -> new NamingWrite.SaveOverride(
                            service(row),
                            new InstanceKey(row.getString(4), row.getInt(5), row.getString(6)),
                            NamingRows.override(row.getString(7)))),
            Table.of(
                    "instance FROM cairn_instance",
                    row -> new NamingWrite.SaveInstance(service(row), NamingRows.instance(row.getString(4)))));

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcNamingStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        return writer.submit(NamingCommand.of(writes, by, committed)).thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
        return writer.submit(NamingCommand.changing(changes, by, committed)).thenAccept(done -> {});
    }

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {
        List<NamingWrite> all = readers.with("reading services and persistent instances", connection -> {
            List<NamingWrite> read = new ArrayList<>();
            rows(connection, SWITCHES, row -> read.add(savedSwitch(row)));
            for (Table table : TABLES) {
                rows(connection, table.select(), row -> read.add(table.row().read(row)));
            }
            return read;
        });
        all.forEach(consumer);
    }

    @Override
    public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
        List<ServiceKey> keys = List.copyOf(services);
        List<NamingWrite> all = readers.with("reading " + keys.size() + " services", connection -> {
            List<NamingWrite> read = new ArrayList<>();
            for (Table table : TABLES) {
                table.ofServices().forEach(keys, (sql, some) -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        int at = 1;
                        for (ServiceKey key : some) {
                            statement.setString(at++, key.namespace().id());
                            statement.setString(at++, key.group());
                            statement.setString(at++, key.name());
                        }
                        try (ResultSet rows = statement.executeQuery()) {
                            while (rows.next()) {
                                read.add(table.row().read(rows));
                            }
                        }
                    }
                });
            }
            return read;
        });
        all.forEach(consumer);
    }

    @Override
    public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {
        List<NamingWrite.SaveSwitch> all = readers.with("reading the switches", connection -> {
            List<NamingWrite.SaveSwitch> read = new ArrayList<>();
            rows(connection, SWITCHES, row -> read.add(savedSwitch(row)));
            return read;
        });
        all.stream().filter(each -> names.contains(each.name())).forEach(consumer);
    }

    /** A table that holds what is stored about services; the key of the service stands in the first three columns. */
    private record Table(String select, RepeatedSql ofServices, RowReader<NamingWrite> row) {

        private static Table of(String columns, RowReader<NamingWrite> row) {
            String select = "SELECT namespace_id, group_name, service_name, " + columns;
            return new Table(
                    select,
                    new RepeatedSql(
                            select + " WHERE ",
                            "(namespace_id = ? AND group_name = ? AND service_name = ?)",
                            " OR ",
                            ""),
                    row);
        }
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static NamingWrite.SaveSwitch savedSwitch(ResultSet row) throws SQLException {
        return new NamingWrite.SaveSwitch(row.getString(1), row.getString(2));
    }

    private static void rows(Connection connection, String sql, RowReader<?> reader) throws SQLException {
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
