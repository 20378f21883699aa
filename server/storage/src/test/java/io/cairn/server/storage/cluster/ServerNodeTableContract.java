package io.cairn.server.storage.cluster;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.server.DatabaseServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The table of nodes on a database server, whose connections may wait. */
abstract class ServerNodeTableContract extends NodeTableContract {

    private static final NodeTable.Row ROW =
            new NodeTable.Row(new NodeId("10.0.0.1:8848", 1), 9849, 9848, "1.2.3", 1, "READY", List.of(), 0, 0, 1);

    abstract ServerTestDatabase server();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return server().of(folder);
    }

    @Test
    void aHeartbeatDoesNotWaitForTheWriter() throws Exception {
        try (DatabaseServer database = server().at(server().url());
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
                DatabaseServer database = server().at(
                                server().url().replaceFirst("//[^/]+/", "//127.0.0.1:" + silent.getLocalPort() + '/')
                                        + '?'
                                        + server().socketTimeout(Duration.ofHours(1)));
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
