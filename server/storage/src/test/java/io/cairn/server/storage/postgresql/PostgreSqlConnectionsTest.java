package io.cairn.server.storage.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.server.ServerSettings;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class PostgreSqlConnectionsTest {

    private static PostgreSqlConnections connections(String url) {
        return new PostgreSqlConnections(new ServerSettings.Source(url, "nacos", "secret"));
    }

    @Test
    void takesTheOptionsOfTheUrlAndAddsLimits() {
        PostgreSqlConnections connections =
                connections("jdbc:postgresql://db:5432/nacos?currentSchema=a%2Cb&sslmode=require&socketTimeout=0");

        Properties options = connections.options();

        assertThat(connections.url()).isEqualTo("jdbc:postgresql://db:5432/nacos");
        assertThat(options)
                .containsAllEntriesOf(Map.of(
                        "currentSchema", "a,b",
                        "sslmode", "require",
                        "socketTimeout", "10",
                        "connectTimeout", "3",
                        "tcpKeepAlive", "true",
                        "user", "nacos",
                        "password", "secret"));
        assertThat(options).doesNotContainKey("targetServerType");
    }

    @Test
    void aFailedStatementEndsItsTransactionWhateverTheUrlSays() {
        assertThat(connections("jdbc:postgresql://db/nacos?autosave=always").options())
                .containsEntry("autosave", "never");
    }

    @Test
    void usesThePrimaryOfSeveralHosts() {
        assertThat(connections("jdbc:postgresql://a:5432,b:5432/nacos").options())
                .containsEntry("targetServerType", "primary");
        assertThat(connections("jdbc:postgresql://a,b/nacos?targetServerType=any")
                        .options())
                .containsEntry("targetServerType", "any");
    }
}
