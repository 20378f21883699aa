package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.storage.server.ServerSettings;
import java.io.StringReader;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class DatabaseSettingsTest {

    private static final String URL = "jdbc:mysql://db:3306/nacos?characterEncoding=utf8&serverTimezone=UTC";

    private static final String POSTGRESQL =
            "jdbc:postgresql://db:5432/nacos?tcpKeepAlive=true&reWriteBatchedInserts=true&currentSchema=nacos";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spring.sql.init.platform=",
                "spring.sql.init.platform=derby",
                "spring.datasource.platform=sqlite",
                "db.num=1\ndb.url.0=" + URL
            })
    void usesTheEmbeddedDatabaseByDefault(String lines) throws Exception {
        assertThat(read(lines).server()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.sql.init.platform", "spring.datasource.platform"})
    void theLinesOfNacosAreTakenAsTheyAre(String platform) throws Exception {
        ServerSettings settings = read(platform + "=mysql\ndb.num=1\ndb.url.0=" + URL
                        + "\ndb.user.0=nacos\ndb.password.0=secret\n"
                        + "db.pool.config.connectionTimeout=20000\ndb.pool.config.validationTimeout=5000\n"
                        + "db.pool.config.maximumPoolSize=30\ndb.pool.config.minimumIdle=3\n"
                        + "db.pool.config.driverClassName=com.mysql.cj.jdbc.Driver")
                .server()
                .orElseThrow()
                .settings();

        assertThat(settings.sources()).containsExactly(new ServerSettings.Source(URL, "nacos", "secret"));
        assertThat(settings.pool())
                .isEqualTo(new ServerSettings.Pool(Duration.ofSeconds(20), Duration.ofSeconds(5), 30, 3));
    }

    @Test
    void severalSourcesShareSettingsWithoutIndex() throws Exception {
        ServerSettings settings = read("spring.sql.init.platform=mysql\ndb.num=2\ndb.url.0=jdbc:mysql://a/n\n"
                        + "db.url.1=jdbc:mysql://b/n\ndb.user=nacos\ndb.password=secret\ndb.user.1=other")
                .server()
                .orElseThrow()
                .settings();

        assertThat(settings.sources())
                .containsExactly(
                        new ServerSettings.Source("jdbc:mysql://a/n", "nacos", "secret"),
                        new ServerSettings.Source("jdbc:mysql://b/n", "other", "secret"));
        assertThat(settings.pool()).isEqualTo(ServerSettings.Pool.DEFAULT);
    }

    @Test
    void bracketsAreAsGoodAsDotsAndTheFirstUserServesAll() throws Exception {
        ServerSettings settings = read("spring.sql.init.platform=mysql\ndb.url[0]=jdbc:mysql://a/n\n"
                        + "db.url[1]=jdbc:mysql://b/n\ndb.user[0]=nacos\ndb.password[0]=secret")
                .server()
                .orElseThrow()
                .settings();

        assertThat(settings.sources())
                .extracting(ServerSettings.Source::user, ServerSettings.Source::password)
                .hasSize(2)
                .containsOnly(org.assertj.core.groups.Tuple.tuple("nacos", "secret"));
    }

    @Test
    void theVariablesOfTheContainerImageAreTaken() {
        ServerSettings settings = read(Map.of(
                        "SPRING_DATASOURCE_PLATFORM", "mysql",
                        "MYSQL_SERVICE_HOST", "mysql.local",
                        "MYSQL_SERVICE_PORT", "3307",
                        "MYSQL_SERVICE_DB_NAME", "nacos_devtest",
                        "MYSQL_SERVICE_USER", "nacos",
                        "MYSQL_SERVICE_PASSWORD", "secret",
                        "MYSQL_SERVICE_DB_PARAM", "useSSL=false&allowPublicKeyRetrieval=true"))
                .server()
                .orElseThrow()
                .settings();

        assertThat(settings.sources())
                .containsExactly(new ServerSettings.Source(
                        "jdbc:mysql://mysql.local:3307/nacos_devtest?useSSL=false&allowPublicKeyRetrieval=true",
                        "nacos",
                        "secret"));
    }

    @Test
    void theLinesOfNacosForPostgreSqlAreTakenAsTheyAre() throws Exception {
        DatabaseSettings.Server server = read("spring.sql.init.platform=postgresql\ndb.num=1\ndb.url.0=" + POSTGRESQL
                        + "\ndb.user.0=nacos\ndb.password.0=secret\n"
                        + "db.pool.config.driverClassName=org.postgresql.Driver")
                .server()
                .orElseThrow();

        assertThat(server.product().name()).isEqualTo("PostgreSQL");
        assertThat(server.settings().sources())
                .containsExactly(new ServerSettings.Source(POSTGRESQL, "nacos", "secret"));
    }

    @Test
    void theVariablesOfAContainerAreTakenForPostgreSql() {
        ServerSettings settings = read(Map.of(
                        "SPRING_SQL_INIT_PLATFORM", "postgresql",
                        "DB_URL_0", POSTGRESQL,
                        "DB_USER_0", "nacos",
                        "DB_PASSWORD_0", "secret"))
                .server()
                .orElseThrow()
                .settings();

        assertThat(settings.sources()).containsExactly(new ServerSettings.Source(POSTGRESQL, "nacos", "secret"));
    }

    @Test
    void refusesForPostgreSqlWhatBelongsToOtherProducts() {
        assertRefused(
                "spring.sql.init.platform=postgresql",
                "db.url.0: not set, but spring.sql.init.platform asks for PostgreSQL");
        assertRefused(
                "spring.sql.init.platform=postgresql\ndb.url.0=" + URL,
                "db.url.0: 'jdbc:mysql://db:3306/nacos' (expected: jdbc:postgresql:");
        assertRefused(
                "spring.sql.init.platform=postgresql\ndb.url.0=jdbc:postgresql://a/b?serverTimezone=UTC&password=secret",
                "db.url.0: option serverTimezone (expected: options of PostgreSQL's driver)");
        assertRefused(
                "spring.sql.init.platform=postgresql\ndb.url.0=" + POSTGRESQL
                        + "\ndb.pool.config.driver-class-name=org.opengauss.Driver",
                "db.pool.config.driver-class-name: 'org.opengauss.Driver' (expected: org.postgresql.Driver, or nothing");
    }

    @Test
    void reportsMissingSettings() {
        assertRefused(
                "spring.sql.init.platform=opengauss",
                "spring.sql.init.platform: 'opengauss' (expected: mysql or postgresql, or nothing");
        assertRefused(
                "spring.sql.init.platform=mysql", "db.url.0: not set, but spring.sql.init.platform asks for MySQL");
        assertRefused(
                "spring.sql.init.platform=mysql\ndb.num=2\ndb.url.0=" + URL,
                "db.url.1: not set (expected: one for each of db.num=2)");
        assertRefused(
                "spring.datasource.platform=mysql\ndb.url.0=jdbc:postgresql://a/b?password=secret",
                "db.url.0: 'jdbc:postgresql://a/b' (expected: jdbc:mysql:");
        assertRefused("spring.sql.init.platform=mysql\ndb.num=many\ndb.url.0=" + URL, "db.num: many (expected: 1-32)");
        assertRefused(
                "spring.sql.init.platform=mysql\ndb.url.0=" + URL + "\ndb.pool.config.maximumPoolSize=0",
                "db.pool.config.maximumPoolSize: 0 (expected: 1-1000)");
    }

    @Test
    void keepsPasswordsOutOfLogs() {
        assertThat(new ServerSettings.Source(URL + "&password=secret", "nacos", "secret"))
                .hasToString("jdbc:mysql://db:3306/nacos");
    }

    private static void assertRefused(String lines, String message) {
        assertThatThrownBy(() -> read(lines))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret");
    }

    private static DatabaseSettings read(String lines) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(lines));
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new PropertiesPropertySource("file", properties));
        return DatabaseSettings.read(environment);
    }

    private static DatabaseSettings read(Map<String, String> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "variables", variables.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry ->
                                (Object) entry.getValue()))));
        return DatabaseSettings.read(environment);
    }
}
