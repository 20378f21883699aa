package io.cairn.server.mysql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The rows of a schema at one time. To put them back under running nodes is what a fail-over does to a replica that lacks the last
 * commits.
 */
final class SchemaCopy {

    private static final String PREFIX = "copy_of_";

    private final TestSchema schema;
    private final List<String> tables;

    private SchemaCopy(TestSchema schema, List<String> tables) {
        this.schema = schema;
        this.tables = tables;
    }

    /** Of all tables but that of the heartbeats, which nodes write all the time. */
    static SchemaCopy of(TestSchema schema) {
        List<String> tables = schema
                .query("select table_name from information_schema.tables where table_schema = '" + schema.name()
                        + "' and table_type = 'BASE TABLE' and table_name <> 'cairn_node'")
                .stream()
                .map(row -> row.get(0))
                .toList();
        tables.forEach(table -> schema.execute("create table " + PREFIX + table + " as select * from " + table));
        return new SchemaCopy(schema, tables);
    }

    /** In one transaction, so that no node sees a part of it. */
    void restore() throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // The writers of the nodes begin with this row.
            statement.execute("select value from cairn_revision where id = 1 for update");
            for (String table : tables) {
                statement.execute("delete from " + table);
                statement.execute("insert into " + table + " select * from " + PREFIX + table);
            }
            connection.commit();
        }
    }
}
