package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class MySqlNodeTableIT extends NodeTableContract {

    private static final NodeTable.Row ROW =
            new NodeTable.Row(new NodeId("10.0.0.1:8848", 1), 9849, 9848, "1.2.3", 1, "READY", List.of(), 0, 0, 1);

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Test
    void aHeartbeatDoesNotWaitForTheWriter() throws Exception {
        try (MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(DATABASE.schema()));
                Connection writer = database.openWriter();
                JdbcNodeTable nodes =
                        new JdbcNodeTable(database::openBrief, database.dialect(), new Circuit("The database"))) {
            database.dialect().begin(writer);
            database.dialect().lockRevision(writer);

            assertThat(CompletableFuture.supplyAsync(() -> nodes.beat(ROW)).get(40, TimeUnit.SECONDS))
                    .isTrue();

            database.dialect().rollback(writer);
        }
    }

    @Test
    void timesOutSoonOnASilentDatabase() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                MySqlDatabase database = new MySqlDatabase(new MySqlSettings(
                        List.of(new MySqlSettings.Source(
                                "jdbc:mysql://127.0.0.1:" + silent.getLocalPort() + "/none?socketTimeout=60000",
                                "u",
                                "p")),
                        MySqlSettings.Pool.DEFAULT));
                JdbcNodeTable nodes =
                        new JdbcNodeTable(database::openBrief, database.dialect(), new Circuit("The database"))) {
            long startNanos = System.nanoTime();

            assertThatThrownBy(() -> nodes.beat(ROW))
                    .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                            .isEqualTo(ErrorCode.UNAVAILABLE));

            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(40));
        }
    }
}
