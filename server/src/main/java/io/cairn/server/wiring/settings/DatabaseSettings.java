package io.cairn.server.wiring.settings;

import io.cairn.server.storage.MySqlSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * Where everything lasting is kept, read under the names of Nacos: the keys of {@code application.properties}, and the
 * environment variables of its container image, which come second.
 *
 * @param mysql empty for the embedded database
 */
public record DatabaseSettings(Optional<MySqlSettings> mysql) {

    static final String[] PLATFORM = {"spring.sql.init.platform", "spring.datasource.platform"};
    private static final Set<String> EMBEDDED = Set.of("sqlite", "derby", "embedded");
    private static final Set<String> MYSQL = Set.of("mysql", "mariadb");
    private static final int MOST_SOURCES = 32;

    public static DatabaseSettings read(Environment environment) {
        String platform = NacosSettings.first(environment, PLATFORM);
        if (platform == null || EMBEDDED.contains(platform.toLowerCase(Locale.ROOT))) {
            return new DatabaseSettings(Optional.empty());
        }
        if (!MYSQL.contains(platform.toLowerCase(Locale.ROOT))) {
            throw NacosSettings.refusal(NacosSettings.firstKey(environment, PLATFORM) + ": '" + platform
                    + "' (expected: mysql, or nothing for the embedded database)");
        }
        return new DatabaseSettings(Optional.of(new MySqlSettings(sources(environment), pool(environment))));
    }

    private static List<MySqlSettings.Source> sources(Environment environment) {
        if (indexed(environment, "db.url", 0) == null) {
            String host = NacosSettings.value(environment, "MYSQL_SERVICE_HOST");
            if (host != null) {
                return List.of(ofContainer(environment, host));
            }
            throw NacosSettings.refusal("db.url.0: not set, but " + NacosSettings.firstKey(environment, PLATFORM)
                    + " asks for MySQL (expected: jdbc:mysql://host:port/database)");
        }
        int count = NacosSettings.number(environment, given(environment), 1, MOST_SOURCES, "db.num");
        List<MySqlSettings.Source> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String url = indexed(environment, "db.url", i);
            if (url == null) {
                throw NacosSettings.refusal(
                        "db.url." + i + ": not set (expected: one for each of db.num=" + count + ")");
            }
            if (!url.startsWith("jdbc:mysql:")) {
                throw NacosSettings.refusal("db.url." + i + ": '" + withoutOptions(url)
                        + "' (expected: jdbc:mysql://host:port/database, for MariaDB too)");
            }
            sources.add(new MySqlSettings.Source(
                    url, ofSource(environment, "db.user", i), ofSource(environment, "db.password", i)));
        }
        return sources;
    }

    /** The number of URLs that follow one another. */
    private static int given(Environment environment) {
        int count = 1;
        while (count < MOST_SOURCES && indexed(environment, "db.url", count) != null) {
            count++;
        }
        return count;
    }

    private static String withoutOptions(String url) {
        int options = url.indexOf('?');
        return options < 0 ? url : url.substring(0, options);
    }

    private static MySqlSettings.Source ofContainer(Environment environment, String host) {
        int port = NacosSettings.number(environment, 3306, 1, 65535, "MYSQL_SERVICE_PORT");
        String database = NacosSettings.value(environment, "MYSQL_SERVICE_DB_NAME");
        if (database == null) {
            throw NacosSettings.refusal("MYSQL_SERVICE_DB_NAME: not set, but MYSQL_SERVICE_HOST is");
        }
        String options = NacosSettings.value(environment, "MYSQL_SERVICE_DB_PARAM");
        return new MySqlSettings.Source(
                "jdbc:mysql://" + host + ':' + port + '/' + database + (options == null ? "" : '?' + options),
                orEmpty(NacosSettings.value(environment, "MYSQL_SERVICE_USER")),
                orEmpty(environment.getProperty("MYSQL_SERVICE_PASSWORD")));
    }

    /** The setting of that source; else the one that all sources share, or that of the first. */
    private static String ofSource(Environment environment, String key, int source) {
        String own = indexed(environment, key, source);
        String shared = own == null ? NacosSettings.value(environment, key) : own;
        return orEmpty(shared == null ? indexed(environment, key, 0) : shared);
    }

    private static @Nullable String indexed(Environment environment, String key, int index) {
        return NacosSettings.first(environment, key + '.' + index, key + '[' + index + ']');
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static MySqlSettings.Pool pool(Environment environment) {
        MySqlSettings.Pool defaults = MySqlSettings.Pool.DEFAULT;
        return new MySqlSettings.Pool(
                millis(environment, defaults.connectionTimeout(), "connectionTimeout", "connection-timeout"),
                millis(environment, defaults.validationTimeout(), "validationTimeout", "validation-timeout"),
                pooled(environment, defaults.maximum(), 1, "maximumPoolSize", "maximum-pool-size"),
                pooled(environment, defaults.minimumIdle(), 0, "minimumIdle", "minimum-idle"));
    }

    private static Duration millis(Environment environment, Duration ifAbsent, String... names) {
        return Duration.ofMillis(NacosSettings.number(
                environment, Math.toIntExact(ifAbsent.toMillis()), 250, Integer.MAX_VALUE, keys(names)));
    }

    private static int pooled(Environment environment, int ifAbsent, int min, String... names) {
        return NacosSettings.number(environment, ifAbsent, min, 1000, keys(names));
    }

    private static String[] keys(String... names) {
        String[] keys = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            keys[i] = "db.pool.config." + names[i];
        }
        return keys;
    }
}
