package io.cairn.server.storage.cluster;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.postgresql.PostgreSqlDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import io.cairn.server.storage.server.ServerSettings;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlNodeTableIT extends NodeTableContract {

    private static final NodeTable.Row ROW =
            new NodeTable.Row(new NodeId("10.0.0.1:8848", 1), 9849, 9848, "1.2.3", 1, "READY", List.of(), 0, 0, 1);

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Test
    void aHeartbeatDoesNotWaitForTheWriter() throws Exception {
        try (PostgreSqlDatabase database = new PostgreSqlDatabase(PostgreSqlTestDatabase.settings(DATABASE.schema()));
                Connection writer = database.openWriter();
                JdbcNodeTable nodes =
                        new JdbcNodeTable(database::openBrief, database.dialect(), new Circuit("The database"))) {
            database.dialect().begin(writer);
            database.dialect().lockRevision(writer);

            assertThat(CompletableFuture.supplyAsync(() -> nodes.beat(ROW)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            database.dialect().rollback(writer);
        }
    }

    @Test
    void timesOutSoonOnASilentDatabase() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                PostgreSqlDatabase database = new PostgreSqlDatabase(new ServerSettings(
                        List.of(new ServerSettings.Source(
                                "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/none?socketTimeout=3600",
                                "u",
                                "p")),
                        ServerSettings.Pool.DEFAULT));
                JdbcNodeTable nodes =
                        new JdbcNodeTable(database::openBrief, database.dialect(), new Circuit("The database"))) {
            assertThat(CompletableFuture.supplyAsync(() -> nodes.beat(ROW)))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                            .isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }
}
