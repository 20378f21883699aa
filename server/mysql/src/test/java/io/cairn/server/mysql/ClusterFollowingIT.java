package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that alone fails to follow the database is not in service; a cause that all nodes share takes none out of service. */
@Tag("full")
class ClusterFollowingIT {

    /** The user of node 1, which can be refused a table. */
    private static final String LIMITED = "cairn_rows_limited";

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;

    @BeforeAll
    static void start() {
        TestSchema.assumeOwnProcess();
        schema = TestSchema.create(ClusterFollowingIT.class);
        cluster = ClusterOfServers.start(
                2,
                schema,
                folder,
                // Node 0 compares when node 1 fails to, or never.
                Map.of("cairn.database.compare-interval", "1h"),
                node -> node == 1
                        ? Map.of("db.user.0", limitedUser(), "cairn.database.compare-interval", "1s")
                        : Map.of());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (schema != null) {
            schema.execute("DROP USER IF EXISTS " + LIMITED);
            schema.close();
        }
    }

    /** A user with rights to each table of its own, of which one can be taken away. */
    private static String limitedUser() {
        schema.execute("CREATE USER IF NOT EXISTS " + LIMITED + " IDENTIFIED BY '" + schema.password() + "'");
        schema.query("SHOW TABLES").forEach(table -> schema.execute(grant("ALL", table.get(0))));
        return LIMITED;
    }

    private static String grant(String right, String table) {
        return "GRANT " + right + " ON " + schema.name() + '.' + table + " TO " + LIMITED;
    }

    private static String findings(int node) {
        return cluster.get(node, "/nacos/v3/admin/core/attention").body();
    }

    @Test
    void aNodeThatAloneFailsToFollowIsNotInServiceAndSaysWhy() {
        schema.execute("REVOKE SELECT ON " + schema.name() + ".config_info_gray FROM " + LIMITED);
        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.get(1, "/nacos/v3/admin/core/state/readiness")
                                    .body())
                            .contains("JOINING", "has not followed", "config_info_gray"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.serverList(0)).containsExactly(cluster.address(0)));
            assertThat(findings(0)).contains("FOLLOWING_FAILS", "\"subject\":\"changes\"", "config_info_gray");
        } finally {
            schema.execute(grant("SELECT", "config_info_gray"));
        }
        cluster.awaitInService();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(findings(1)).doesNotContain("FOLLOWING_FAILS"));
    }

    @Test
    void aCauseThatAllNodesShareTakesNoneOutOfService() {
        schema.execute("RENAME TABLE config_info_gray TO config_info_away");
        try {
            for (int node : List.of(0, 1)) {
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(findings(node))
                        .contains("FOLLOWING_FAILS", "config_info_gray")
                        .contains(cluster.address(0), cluster.address(1)));
            }
            await().during(Duration.ofSeconds(1)).atMost(PATIENCE).untilAsserted(() -> {
                for (int node : List.of(0, 1)) {
                    assertThat(cluster.serverList(node)).hasSize(2);
                }
            });
        } finally {
            schema.execute("RENAME TABLE config_info_away TO config_info_gray");
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(findings(0)).doesNotContain("FOLLOWING_FAILS"));
        cluster.awaitInService();
    }
}
