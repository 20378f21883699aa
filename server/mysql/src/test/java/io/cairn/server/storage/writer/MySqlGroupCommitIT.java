package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class MySqlGroupCommitIT extends GroupCommitContract {

    /** Those of this test between two counts of executed statements, on the same connection. */
    private static final int QUERIES_OF_THE_COUNT = 2;

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    /** By the count of the database, so a statement that the driver adds to those of the server is counted too. */
    @Test
    void theDatabaseReceivesTheStatementsOfOnePublishForAGroupOfUpTo32() throws Exception {
        for (int publishes : List.of(1, 2, 17, 31, 32, 64)) {
            receivedFor(publishes, "new " + publishes);
            // Its statements are prepared now, and stay so.
            receivedFor(publishes, "prepared " + publishes);

            assertThat(receivedFor(publishes, "counted " + publishes))
                    .as("updates in a group of %d", publishes)
                    .isEqualTo(new Received(OF_THE_TRANSACTION + OF_AN_UPDATE, 0));
        }
        // The largest statements have 64 rows, and those for a rest up to 32.
        receivedFor(100, "new 100");
        receivedFor(100, "prepared 100");
        assertThat(receivedFor(100, "counted 100")).isEqualTo(new Received(OF_THE_TRANSACTION + 3 * OF_AN_UPDATE, 0));
    }

    /** Statements that the database has executed and prepared. */
    private record Received(long executed, long prepared) {}

    /** The statements and bytes that the database receives on the connection of the writer for that number of publishes in one group. */
    private Received receivedFor(int publishes, String content) throws Exception {
        Counted<Received> counted = around(
                IntStream.range(0, publishes)
                        .mapToObj(i -> SampleCommands.publish("of-" + publishes + "-" + i, content))
                        .toList(),
                this::received);
        return new Received(
                counted.now().executed() - counted.before().executed() - OF_HOLDING - QUERIES_OF_THE_COUNT,
                counted.now().prepared() - counted.before().prepared());
    }

    private Received received() throws SQLException {
        Connection writer = writersConnection();
        try (Statement statement = writer.createStatement()) {
            return new Received(count(statement, "Questions"), count(statement, "Com_stmt_prepare"));
        }
    }

    private static long count(Statement statement, String name) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SHOW SESSION STATUS LIKE '" + name + "'")) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(2);
        }
    }
}
