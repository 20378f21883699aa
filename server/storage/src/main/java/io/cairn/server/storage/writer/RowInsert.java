package io.cairn.server.storage.writer;

import io.cairn.server.storage.database.RepeatedSql;
import io.cairn.server.storage.database.WriteConnection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** An INSERT of any number of rows of type {@code R}. */
public final class RowInsert<R> {

    private final Columns<R> columns;
    private final RepeatedSql sql;

    public RowInsert(String table, Columns<R> columns) {
        this(table, columns, "");
    }

    /** @param ending after the values, for existing rows */
    public RowInsert(String table, Columns<R> columns, String ending) {
        this.columns = columns;
        this.sql = new RepeatedSql(
                "INSERT INTO " + table + " (" + columns.names() + ") VALUES ",
                "(" + columns.marks() + ")",
                ", ",
                ending);
    }

    public Columns<R> columns() {
        return columns;
    }

    public void execute(WriteConnection connection, WriteTransaction transaction, List<R> rows) throws SQLException {
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
