package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.util.unit.DataSize;

class CairnPropertiesTest {

    private static final Path FILE = Path.of("..", "distribution", "conf", "application.properties");
    private static final Pattern SETTING = Pattern.compile("#?([a-z][\\w.-]*)=(.*)");

    @Test
    void everySettingIsListedInTheFileWithItsDefault() throws IOException {
        Map<String, String> listed = new TreeMap<>(listed());
        listed.keySet().removeIf(key -> !key.startsWith("cairn."));

        Map<String, String> all = new TreeMap<>(defaults("cairn", CairnProperties.class));
        all.putAll(defaults("cairn.auth", AccessProperties.class));
        all.putAll(defaults("cairn.auth.oidc", OidcProperties.class));
        all.putAll(defaults("cairn.auth.ldap", LdapProperties.class));
        all.putAll(defaults("cairn.tls", TlsProperties.class));
        all.putAll(defaults("cairn.cluster", ClusterProperties.class));
        all.putAll(defaults("cairn.xds", XdsProperties.class));
        assertThat(listed).isEqualTo(all);
    }

    @Test
    void theFileSetsNothingByItself() throws IOException {
        Properties settings = new Properties();
        settings.load(Files.newBufferedReader(FILE));

        assertThat(settings).isEmpty();
    }

    @Test
    void everySettingOfTheFileIsExplained() throws IOException {
        StringBuilder above = new StringBuilder();
        for (String line : Files.readAllLines(FILE)) {
            if (SETTING.matcher(line).matches()) {
                assertThat(above.toString()).as("what stands above %s", line).contains("# Default: ");
            } else if (line.isBlank()) {
                above.setLength(0);
            } else {
                above.append(line).append('\n');
            }
        }
    }

    @Test
    void uncommentingAllLinesChangesNothing() throws IOException {
        assertThat(bind(listed())).isEqualTo(bind(Map.of()));
    }

    @Test
    void valuesHaveTheUnitsOfTheirTypes() {
        CairnProperties properties = bind(Map.of(
                "cairn.config.max-content", "2MB",
                "cairn.push.ack-timeout", "750ms",
                "cairn.http.idle", "2m",
                "cairn.data-dir", "/var/lib/cairn"));

        assertThat(properties.config().maxContent()).isEqualTo(DataSize.ofMegabytes(2));
        assertThat(properties.push().ackTimeout()).isEqualTo(Duration.ofMillis(750));
        assertThat(properties.http().idle()).isEqualTo(Duration.ofMinutes(2));
        assertThat(properties.dataDir()).isEqualTo(Path.of("/var/lib/cairn"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cairn.io-threads             | -1    | cairn.io-threads: -1 (expected: 0-1024)",
                "cairn.store.queue-writes     | 0     | cairn.store.queue-writes: 0 (expected: 1-10000000)",
                "cairn.store.batch-writes     | -5    | cairn.store.batch-writes: -5 (expected: 1-10000000)",
                "cairn.store.read-threads     | 0     | cairn.store.read-threads: 0 (expected: 1-1024)",
                "cairn.store.read-queue       | 0     | cairn.store.read-queue: 0 (expected: 1-10000000)",
                "cairn.store.queue-bytes      | -1B   | cairn.store.queue-bytes: -1B (expected: at least 0B)",
                "cairn.store.batch-bytes      | 0     | cairn.store.batch-bytes: 0B (expected: at least 1B)",
                "cairn.config.max-content     | 0B    | cairn.config.max-content: 0B (expected: 1B-536870912B)",
                "cairn.config.max-content     | 3GB   | cairn.config.max-content: 3221225472B (expected: 1B-536870912B)",
                "cairn.config.cache           | -1MB  | cairn.config.cache: -1048576B (expected: at least 0B)",
                "cairn.push.ack-timeout       | 0s    | cairn.push.ack-timeout: 0ms (expected: at least 1ms)",
                "cairn.push.retry-delay       | -1s   | cairn.push.retry-delay: -1000ms (expected: at least 1ms)",
                "cairn.push.max-in-flight     | 0     | cairn.push.max-in-flight: 0 (expected: 1-10000000)",
                "cairn.connections.max        | 0     | cairn.connections.max: 0 (expected: 1-10000000)",
                "cairn.connections.silence    | 0s    | cairn.connections.silence: 0ms (expected: at least 1ms)",
                "cairn.grpc.keep-alive        | 0s    | cairn.grpc.keep-alive: 0ms (expected: at least 1ms)",
                "cairn.http.idle              | 900ms | cairn.http.idle: 900ms (expected: at least 1000ms)",
                "cairn.auth.failures          | 0     | cairn.auth.failures: 0 (expected: at least 1)",
                "cairn.auth.user-failures     | -1    | cairn.auth.user-failures: -1 (expected: at least 1)",
                "cairn.auth.longest-wait      | 0s    | cairn.auth.longest-wait: 0ms (expected: at least 1000ms)",
                "cairn.auth.audit-retention   | -1d   | cairn.auth.audit-retention: -86400000ms (expected: at least 3600000ms)",
                "cairn.cluster.port           | 65536 | cairn.cluster.port: 65536 (expected: 0-65535)",
                "cairn.cluster.failure-timeout | 1s   | cairn.cluster.failure-timeout: 1000ms (expected: at least 2000ms)",
                "cairn.cluster.join-timeout   | 0s    | cairn.cluster.join-timeout: 0ms (expected: at least 1000ms)",
                "cairn.cluster.drain-rate     | 0     | cairn.cluster.drain-rate: 0 (expected: 1-1000000)",
                "cairn.cluster.drain-timeout  | -1s   | cairn.cluster.drain-timeout: -1000ms (expected: at least 0ms)",
                "cairn.cluster.rebalance-after | 0s   | cairn.cluster.rebalance-after: 0ms (expected: at least 1000ms)",
                "cairn.cluster.visible-within | 0s    | cairn.cluster.visible-within: 0ms (expected: at least 1ms)",
                "cairn.tls.reload-interval    | 0s    | cairn.tls.reload-interval: 0ms (expected: at least 100ms)",
            })
    void aValueOutOfRangeIsNamedWithTheRange(String key, String value, String message) {
        assertRefused(key, value, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cairn.io-threads         | two  | cairn.io-threads: two (expected: a whole number)",
                "cairn.store.queue-bytes  | much | cairn.store.queue-bytes: much (expected: a size such as 64KB or 10MB)",
                "cairn.push.ack-timeout   | soon | cairn.push.ack-timeout: soon (expected: a duration such as 500ms or 3s)",
            })
    void aValueOfAnotherKindIsNamedWithTheKind(String key, String value, String message) {
        assertRefused(key, value, message);
    }

    @Test
    void doesNotChangeOtherFailures() {
        RuntimeException failure = new IllegalStateException("something else");

        assertThat(BadSetting.named(failure)).isSameAs(failure);
    }

    private static void assertRefused(String key, String value, String message) {
        RuntimeException failure = catchThrowableOfType(RuntimeException.class, () -> bind(Map.of(key, value)));
        assertThat(failure).as("%s=%s", key, value).isNotNull();
        assertThat(BadSetting.named(failure))
                .isInstanceOfSatisfying(
                        CairnException.class, named -> assertThat(named.code()).isEqualTo(ErrorCode.INVALID_PARAMETER))
                .hasMessage(message);
    }

    private static CairnProperties bind(Map<String, String> settings) {
        Binder binder = new Binder(
                List.of(new MapConfigurationPropertySource(settings)),
                null,
                ApplicationConversionService.getSharedInstance(),
                null);
        assertThat(binder.bindOrCreate("cairn.auth", AccessProperties.class)).isNotNull();
        assertThat(binder.bindOrCreate("cairn.tls", TlsProperties.class)).isNotNull();
        assertThat(binder.bindOrCreate("cairn.cluster", ClusterProperties.class))
                .isNotNull();
        return binder.bindOrCreate("cairn", CairnProperties.class);
    }

    /** Every line of the file that would set something without its mark. */
    private static Map<String, String> listed() throws IOException {
        Map<String, String> listed = new LinkedHashMap<>();
        for (String line : Files.readAllLines(FILE)) {
            Matcher setting = SETTING.matcher(line);
            if (setting.matches()) {
                assertThat(listed.put(setting.group(1), setting.group(2)))
                        .as("an earlier line for %s", setting.group(1))
                        .isNull();
            }
        }
        return listed;
    }

    /** The name and default of every component, of nested records too. */
    private static Map<String, String> defaults(String prefix, Class<?> type) {
        Map<String, String> defaults = new LinkedHashMap<>();
        RecordComponent[] components = type.getRecordComponents();
        Constructor<?> constructor = Arrays.stream(type.getDeclaredConstructors())
                .filter(candidate -> candidate.getParameterCount() == components.length)
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < components.length; i++) {
            String name = prefix + '.' + kebab(components[i].getName());
            DefaultValue value = constructor.getParameters()[i].getAnnotation(DefaultValue.class);
            assertThat(value).as("default of %s", name).isNotNull();
            if (components[i].getType().isRecord()) {
                defaults.putAll(defaults(name, components[i].getType()));
            } else {
                defaults.put(name, String.join(",", value.value()));
            }
        }
        return defaults;
    }

    private static String kebab(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
