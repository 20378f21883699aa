package io.cairn.server.storage;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** An INSERT of any number of rows of type {@code R} into one table. Thread-safe. */
final class RowInsert<R> {

    private final Columns<R> columns;
    private final RepeatedSql sql;

    RowInsert(String table, Columns<R> columns) {
        this(table, columns, "");
    }

    /** @param ending follows the values, for rows that exist already */
    RowInsert(String table, Columns<R> columns, String ending) {
        this.columns = columns;
        this.sql = new RepeatedSql(
                "INSERT INTO " + table + " (" + columns.names() + ") VALUES ",
                "(" + columns.marks() + ")",
                ", ",
                ending);
    }

    /** The columns that each row fills. */
    Columns<R> columns() {
        return columns;
    }

    void execute(WriteConnection connection, WriteTransaction transaction, List<R> rows) throws SQLException {
        sql.forEach(rows, (text, chunk) -> {
            PreparedStatement insert = connection.prepared(text);
            int at = 1;
            for (R row : chunk) {
                at = columns.bind(insert, at, row, transaction);
            }
            insert.executeUpdate();
        });
    }
}
