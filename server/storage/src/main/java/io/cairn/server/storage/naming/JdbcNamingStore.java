package io.cairn.server.storage.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RepeatedSql;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

public final class JdbcNamingStore implements NamingStore {

    private static final String SWITCHES = "SELECT name, value FROM cairn_switch";
    /** Services before their parts. */
    private static final List<Table> TABLES = List.of(
            Table.of(
                    "settings",
                    "cairn_service",
                    row -> new NamingWrite.SaveService(service(row), NamingRows.settings(row.getString(4)))),
            Table.of(
                    "ip, port, cluster_name, override",
                    "cairn_instance_override",
                    row -> new NamingWrite.SaveOverride(
                            service(row),
                            new InstanceKey(row.getString(4), row.getInt(5), row.getString(6)),
                            NamingRows.override(row.getString(7)))),
            Table.of(
                    "instance",
                    "cairn_instance",
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
            read.addAll(switches(connection));
            for (Table table : TABLES) {
                read.addAll(readers.leftOut().all(connection, table.name(), table.select(), table.row(), 1, 2, 3));
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
                LeftOutRows.Reading reading = readers.leftOut().some(table.name());
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
                                reading.read(rows, table.row(), 1, 2, 3).ifPresent(read::add);
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
        List<NamingWrite.SaveSwitch> all = readers.with("reading the switches", this::switches);
        all.stream().filter(each -> names.contains(each.name())).forEach(consumer);
    }

    /** A table about services, whose key is in the first three columns. */
    private record Table(String name, String select, RepeatedSql ofServices, LeftOutRows.RowReader<NamingWrite> row) {

        private static Table of(String columns, String name, LeftOutRows.RowReader<NamingWrite> row) {
            String select = "SELECT namespace_id, group_name, service_name, " + columns + " FROM " + name;
            return new Table(
                    name,
                    select,
                    new RepeatedSql(
                            select + " WHERE ",
                            "(namespace_id = ? AND group_name = ? AND service_name = ?)",
                            " OR ",
                            ""),
                    row);
        }
    }

    private List<NamingWrite.SaveSwitch> switches(Connection connection) throws SQLException {
        return readers.leftOut()
                .all(
                        connection,
                        "cairn_switch",
                        SWITCHES,
                        row -> new NamingWrite.SaveSwitch(row.getString(1), row.getString(2)),
                        1);
    }

    private static ServiceKey service(ResultSet row) throws SQLException {
        return new ServiceKey(Namespace.ofNullable(row.getString(1)), row.getString(2), row.getString(3));
    }
}
