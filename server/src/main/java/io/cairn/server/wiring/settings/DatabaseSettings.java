package io.cairn.server.wiring.settings;

import io.cairn.server.storage.DatabaseProducts;
import io.cairn.server.storage.server.ServerProduct;
import io.cairn.server.storage.server.ServerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The database settings of Nacos: keys of {@code application.properties}, then environment variables of its container image.
 *
 * @param server empty for the embedded database
 */
public record DatabaseSettings(Optional<Server> server) {

    /** A database server: its product, and where it is. */
    public record Server(ServerProduct product, ServerSettings settings) {}

    static final String[] PLATFORM = {"spring.sql.init.platform", "spring.datasource.platform"};
    private static final String[] DRIVER = keys("driverClassName", "driver-class-name");
    private static final Set<String> EMBEDDED = Set.of("sqlite", "derby", "embedded");
    private static final int MOST_SOURCES = 32;

    public static DatabaseSettings read(Environment environment) {
        String platform = NacosSettings.first(environment, PLATFORM);
        if (platform == null || EMBEDDED.contains(platform.toLowerCase(Locale.ROOT))) {
            return new DatabaseSettings(Optional.empty());
        }
        Optional<ServerProduct> product = DatabaseProducts.ofPlatform(platform);
        if (product.isEmpty()) {
            throw NacosSettings.refusal(NacosSettings.firstKey(environment, PLATFORM) + ": '" + platform
                    + "' (expected: " + DatabaseProducts.platforms() + ", or nothing for the embedded database)");
        }
        checkDriver(environment, product.get());
        ServerSettings settings = new ServerSettings(sources(environment, product.get()), pool(environment));
        return new DatabaseSettings(Optional.of(new Server(product.get(), settings)));
    }

    private static void checkDriver(Environment environment, ServerProduct product) {
        String driver = NacosSettings.first(environment, DRIVER);
        if (driver != null
                && product.driver().filter(only -> !only.equals(driver)).isPresent()) {
            throw NacosSettings.refusal(NacosSettings.firstKey(environment, DRIVER) + ": '" + driver + "' (expected: "
                    + product.driver().get() + ", or nothing; " + product.name()
                    + " is supported, other products not)");
        }
    }

    private static List<ServerSettings.Source> sources(Environment environment, ServerProduct product) {
        if (indexed(environment, "db.url", 0) == null) {
            ServerProduct.Variables variables = product.containerVariables().orElse(null);
            String host = variables == null ? null : NacosSettings.value(environment, variables.host());
            if (variables != null && host != null) {
                return List.of(ofContainer(environment, product, variables, host));
            }
            throw NacosSettings.refusal("db.url.0: not set, but " + NacosSettings.firstKey(environment, PLATFORM)
                    + " asks for " + product.name() + " (expected: " + product.urlForm() + ')');
        }
        int count = NacosSettings.number(environment, given(environment), 1, MOST_SOURCES, "db.num");
        List<ServerSettings.Source> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String url = indexed(environment, "db.url", i);
            if (url == null) {
                throw NacosSettings.refusal(
                        "db.url." + i + ": not set (expected: one for each of db.num=" + count + ")");
            }
            if (!product.isUrl(url)) {
                throw NacosSettings.refusal(
                        "db.url." + i + ": '" + withoutOptions(url) + "' (expected: " + product.urlForm() + ')');
            }
            int number = i;
            product.unfitOption(url).ifPresent(option -> {
                throw NacosSettings.refusal("db.url." + number + ": option " + option + " (expected: options of "
                        + product.name() + "'s driver)");
            });
            sources.add(new ServerSettings.Source(
                    url, ofSource(environment, "db.user", i), ofSource(environment, "db.password", i)));
        }
        return sources;
    }

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

    private static ServerSettings.Source ofContainer(
            Environment environment, ServerProduct product, ServerProduct.Variables variables, String host) {
        int port = NacosSettings.number(environment, product.usualPort(), 1, 65535, variables.port());
        String database = NacosSettings.value(environment, variables.database());
        if (database == null) {
            throw NacosSettings.refusal(variables.database() + ": not set, but " + variables.host() + " is");
        }
        String options = NacosSettings.value(environment, variables.options());
        return new ServerSettings.Source(
                product.url(host, port, database) + (options == null ? "" : '?' + options),
                orEmpty(NacosSettings.value(environment, variables.user())),
                orEmpty(environment.getProperty(variables.password())));
    }

    /** The setting of the source; else the shared one, or that of the first source. */
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

    private static ServerSettings.Pool pool(Environment environment) {
        ServerSettings.Pool defaults = ServerSettings.Pool.DEFAULT;
        return new ServerSettings.Pool(
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
