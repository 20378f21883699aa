package io.cairn.server.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.database.WriteConnection;
import java.io.File;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

class SqliteDatabaseTest {

    @Test
    void reportsAFullDiskBeforeItsConsequences() {
        File folder = new File("/data/cairn");

        assertThat(SqliteDatabase.explained("Error opening connection", folder, 4_096))
                .isEqualTo(
                        "the disk of /data/cairn is full: 4096 bytes are left (free some space; Error opening connection)");
        assertThat(SqliteDatabase.explained("file is not a database", folder, 1L << 30))
                .isEqualTo("file is not a database");
    }

    @Test
    void theDriverAddsNoStatementsToThoseOfTheWriter(@TempDir Path folder) throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);
        try (Connection writer = database.openWriter()) {
            assertThat(writer.getAutoCommit())
                    .as("a BEGIN after each statement")
                    .isFalse();
            assertThat(((SQLiteConnection) writer).getConnectionConfig().isGetGeneratedKeys())
                    .as("a query after each INSERT")
                    .isFalse();
        }
    }

    @Test
    void theWriterHoldsNoTransactionBeforeItsFirst(@TempDir Path folder) throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);
        try (Connection first = database.openWriter();
                Connection second = database.openWriter();
                Statement statement = first.createStatement()) {
            SqliteDatabase.DIALECT.begin(second);
            SqliteDatabase.DIALECT.rollback(second);

            statement.executeUpdate("INSERT INTO cairn_switch (name, value, changed_at) VALUES ('a', 'b', 0)");

            SqliteDatabase.DIALECT.begin(second);
            try (Statement query = second.createStatement();
                    var rows = query.executeQuery("SELECT value FROM cairn_switch")) {
                assertThat(rows.next()).as("the row is committed").isTrue();
            }
            SqliteDatabase.DIALECT.commit(second);
        }
    }

    @Test
    void aStatementThatTheDriverHasClosedIsPreparedAgain(@TempDir Path folder) throws Exception {
        SqliteDatabase database = SqliteDatabase.open(folder);
        try (WriteConnection writer = new WriteConnection(database.openWriter())) {
            String sql = "SELECT value FROM cairn_revision";
            PreparedStatement kept = writer.prepared(sql);
            assertThat(writer.prepared(sql)).isSameAs(kept);

            kept.close();

            assertThat(writer.prepared(sql)).isNotSameAs(kept);
            assertThat(SqliteDatabase.DIALECT.lockRevision(writer)).isZero();
        }
    }
}
