package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.process.CairnProcess;
import io.cairn.testing.HangLimit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A Nacos starts on the database of a Cairn with releases by labels and shares, which it does not know, and serves the content for all. */
@Tag("endurance")
public abstract class NacosOnReleasesScenarios {
    private static final String SCHEMA = "nacos";
    private static final String DATA_ID = "released.yaml";
    private static final String GROUP = "DEFAULT_GROUP";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @ParameterizedTest
    @EnumSource(value = NacosProcess.Release.class, names = "NACOS_1_3", mode = EnumSource.Mode.EXCLUDE)
    @HangLimit
    void serves(NacosProcess.Release release) throws Exception {
        Assumptions.assumeTrue(DatabaseProcess.obstacle() == null, DatabaseProcess::obstacle);
        try (DatabaseProcess database = DatabaseProcess.runningWith(SCHEMA)) {
            DatabaseAccess access = database.access(SCHEMA);
            try (CairnProcess cairn = start(access)) {
                HttpConfigs configs = new HttpConfigs(cairn.serverAddress());
                assertThat(configs.publish(DATA_ID, GROUP, "for all").statusCode())
                        .isEqualTo(200);
                assertThat(configs.publishForLabels(DATA_ID, GROUP, "zone-a", "zone = a", "for zone a")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(configs.publishRelease(DATA_ID, GROUP, "some", "percentage", "25", "for some")
                                .statusCode())
                        .isEqualTo(200);
                cairn.stop();
            }

            if (release == NacosProcess.Release.NACOS_2_5) {
                createOldTables(database);
            }
            try (NacosProcess nacos = NacosProcess.startOn(access, release, folder.resolve(release.name()))) {
                assertThat(read(nacos, release)).contains("for all").doesNotContain("for zone a", "for some");
                assertThat(nacos.output()).doesNotContain("raw gray rule is invalid");
            }

            try (CairnProcess cairn = start(access);
                    NacosClients clients = new NacosClients(cairn.serverAddress())) {
                assertThat(clients.open(Map.of("nacos.app.conn.labels", "zone=a"))
                                .getConfig(DATA_ID, GROUP, PATIENCE.toMillis()))
                        .isEqualTo("for zone a");
            }
        }
    }

    /** By the statements of the guide. */
    private static void createOldTables(DatabaseProcess database) throws Exception {
        String guide = Files.readString(Path.of("..", "..", "..", "docs", "guide", "mysql.md"), UTF_8);
        try (Connection connection = database.connect(SCHEMA);
                Statement statement = connection.createStatement()) {
            int begin = guide.indexOf("CREATE TABLE config_info_beta");
            for (String create :
                    guide.substring(begin, guide.indexOf("```", begin)).split(";")) {
                if (!create.isBlank()) {
                    statement.execute(create);
                }
            }
        }
    }

    private static CairnProcess start(DatabaseAccess access) {
        return CairnProcess.builder()
                .programArguments(access.arguments().toArray(String[]::new))
                .start();
    }

    private static String read(NacosProcess nacos, NacosProcess.Release release) throws Exception {
        String path = release == NacosProcess.Release.NACOS_2_5
                ? "/nacos/v1/cs/configs?dataId=" + DATA_ID + "&group=" + GROUP
                : "/nacos/v3/client/cs/config?dataId=" + DATA_ID + "&groupName=" + GROUP;
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + nacos.address() + path))
                .timeout(PATIENCE)
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString(UTF_8))
                .body();
    }
}
