package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.ApiKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

class NacosSettingsTest {

    private static final Path FILE = Path.of("..", "distribution", "conf", "application.properties");

    @Test
    void listensOnLoopbackByDefault() {
        NacosSettings settings = read(Map.of());

        assertThat(settings.address().getAddress().getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(settings.address().getPort()).isEqualTo(8848);
        assertThat(settings.grpcAddress(8848).getPort()).isEqualTo(9848);
        assertThat(settings.contextPath()).isEqualTo("/nacos");
        assertThat(settings.maxPushRetries()).isEqualTo(50);
        assertThat(settings.maxMessageBytes()).isEqualTo(10 * 1024 * 1024);
        assertThat(settings.maxGrayReleases()).isEqualTo(10);
        assertThat(settings.functionMode()).isNull();
        assertThat(settings.serverIp()).isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.port", "nacos.server.main.port"})
    void thePortHasTheNamesOf2xAnd3x(String key) {
        assertThat(read(Map.of(key, "18848")).address().getPort()).isEqualTo(18848);
        assertThat(read(Map.of(key, " 0 ")).address().getPort()).isZero();
        assertThat(read(Map.of(key, "64535")).address().getPort()).isEqualTo(64535);
        assertThat(read(Map.of(key, "")).address().getPort()).isEqualTo(8848);
    }

    @Test
    void thePortOf2xIsReadFirst() {
        NacosSettings settings = read(Map.of("server.port", "1", "nacos.server.main.port", "2"));

        assertThat(settings.address().getPort()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "server.port, 64536, 0-64535",
        "server.port, -1, 0-64535",
        "server.port, eighty, 0-64535",
        "server.port, 8848.0, 0-64535",
        "server.port, 99999999999, 0-64535",
        "nacos.server.main.port, 70000, 0-64535",
        "nacos.config.gray.version.max.count, 0, 1-1000",
        "nacos.config.push.maxRetryTime, -1, 0-1000000",
        "nacos.config.push.maxRetryTime, often, 0-1000000",
        "nacos.remote.server.grpc.sdk.max-inbound-message-size, 1023, 1024-2147483647",
        "nacos.remote.server.grpc.maxinbound.message.size, 10MB, 1024-2147483647",
    })
    void reportsAnInvalidNumberWithItsKeyAndRange(String key, String value, String range) {
        assertRefused(key, value, key + ": " + value + " (expected: " + range + ")");
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, 0.0.0.0", "127.0.0.2, 127.0.0.2", "' 127.0.0.1 ', 127.0.0.1", "::1, 0:0:0:0:0:0:0:1"})
    void bindsTheConfiguredAddress(String configured, String address) {
        NacosSettings settings = read(Map.of("server.address", configured));

        assertThat(settings.address().getAddress().getHostAddress()).isEqualTo(address);
        assertThat(settings.grpcAddress(1).getAddress())
                .isEqualTo(settings.address().getAddress());
    }

    @Test
    void reportsAnAddressThatCannotBeResolved() {
        assertRefused(
                "server.address",
                "no such host",
                "server.address: 'no such host' (expected: an address of this machine, or 0.0.0.0)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.servlet.contextPath", "server.servlet.context-path", "nacos.server.contextPath"})
    void theContextPathHasTheNamesOf2xAnd3x(String key) {
        assertThat(read(Map.of(key, "/registry")).contextPath()).isEqualTo("/registry");
        assertThat(read(Map.of(key, "registry")).contextPath()).isEqualTo("/registry");
        assertThat(read(Map.of(key, "/registry/")).contextPath()).isEqualTo("/registry");
        assertThat(read(Map.of(key, "/a/b")).contextPath()).isEqualTo("/a/b");
        assertThat(read(Map.of(key, "/")).contextPath()).isEmpty();
        assertThat(read(Map.of(key, " ")).contextPath()).isEqualTo("/nacos");
    }

    @Test
    void repeatsPushesAsOftenAsConfigured() {
        String key = "nacos.config.push.maxRetryTime";

        assertThat(read(Map.of(key, "0")).maxPushRetries()).isZero();
        assertThat(read(Map.of(key, "7")).maxPushRetries()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nacos.remote.server.grpc.sdk.max-inbound-message-size",
                "nacos.remote.server.grpc.maxinbound.message.size"
            })
    void theLargestMessageHasTwoNames(String key) {
        assertThat(read(Map.of(key, "20971520")).maxMessageBytes()).isEqualTo(20971520);
    }

    @ParameterizedTest
    @ValueSource(strings = {"config", "naming"})
    void passesTheFunctionModeOn(String mode) {
        assertThat(read(Map.of("nacos.functionMode", mode)).functionMode()).isEqualTo(mode);
    }

    @Test
    void announcesTheConfiguredAddress() {
        assertThat(read(Map.of("nacos.inetutils.ip-address", "10.1.2.3")).serverIp())
                .isEqualTo("10.1.2.3");
        assertThat(read(Map.of("server.address", "127.0.0.2")).serverIp()).isEqualTo("127.0.0.2");
        assertThat(read(Map.of("server.address", "0.0.0.0")).serverIp())
                .isNotBlank()
                .isNotEqualTo("0.0.0.0");
    }

    @ParameterizedTest
    @CsvSource({
        "nacos.core.auth.enabled, true",
        "nacos.core.auth.enabled, TRUE",
        "nacos.core.auth.enabled, 'true '",
        "NACOS_AUTH_ENABLE, yes",
    })
    void listensOnAllAddressesWithLogins(String key, String value) {
        assertThat(read(Map.of(key, value)).address().getAddress().isAnyLocalAddress())
                .isTrue();
        assertThat(auth(Map.of(key, value)).enabled()).isTrue();
        assertThat(auth(Map.of(key, value, "server.address", "127.0.0.1")).enabled())
                .isTrue();
    }

    @Test
    void aReachableServerRequiresLoginsUnlessTheyAreSwitchedOffExplicitly() {
        assertThat(auth(Map.of()).enabled()).isFalse();
        assertThat(read(Map.of()).address().getAddress().isLoopbackAddress()).isTrue();
        assertThat(auth(Map.of("nacos.core.auth.enabled", "false", "server.address", "127.0.0.2"))
                        .enabled())
                .isFalse();
        assertThat(auth(Map.of("server.address", "0.0.0.0")).enabled()).isTrue();
        assertThat(auth(Map.of("nacos.core.auth.enabled", "false", "server.address", "0.0.0.0"))
                        .enabled())
                .isTrue();
        Map<String, String> openly = Map.of("server.address", "0.0.0.0", "cairn.auth.allow-anonymous-network", "true");
        assertThat(auth(openly).enabled()).isFalse();
    }

    @Test
    void administrationAndConsoleNeedALoginByThemselves() {
        String admin = "nacos.core.auth.admin.enabled";
        assertThat(auth(Map.of("nacos.core.auth.enabled", "true")).closed())
                .containsExactlyInAnyOrder(ApiKind.values());
        assertThat(auth(Map.of(admin, "true")).closed())
                .containsExactlyInAnyOrder(ApiKind.ADMINISTRATION, ApiKind.CONSOLE);
        assertThat(auth(Map.of("nacos.core.auth.console.enabled", "true")).closed())
                .containsExactly(ApiKind.CONSOLE);
        assertThat(auth(Map.of(admin, "false", "nacos.core.auth.enabled", "true", "server.address", "127.0.0.1"))
                        .closed())
                .containsExactly(ApiKind.CLIENT);
        assertThat(read(Map.of(admin, "true")).address().getAddress().isLoopbackAddress())
                .isTrue();
    }

    @Test
    void onANetworkNobodyIsLeftOutOfLoginsUnlessThatIsAllowed() {
        Map<String, String> staged = Map.of("server.address", "0.0.0.0", "nacos.core.auth.admin.enabled", "true");
        assertThat(auth(staged).closed()).containsExactlyInAnyOrder(ApiKind.values());
        Map<String, String> openly = new HashMap<>(staged);
        openly.put("cairn.auth.allow-anonymous-network", "true");
        assertThat(auth(openly).closed()).containsExactlyInAnyOrder(ApiKind.ADMINISTRATION, ApiKind.CONSOLE);
    }

    @Test
    void aRehearsalNeedsUsersAndClientsWithoutLogin() {
        assertThatThrownBy(() -> auth(Map.of("cairn.auth.rehearsal", "true")))
                .hasMessageContaining("nacos.core.auth.admin.enabled=true");
        assertThat(auth(Map.of("cairn.auth.rehearsal", "true", "nacos.core.auth.admin.enabled", "true"))
                        .rehearsal())
                .isTrue();
        assertThat(auth(Map.of("cairn.auth.rehearsal", "true", "nacos.core.auth.enabled", "true"))
                        .rehearsal())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "U2VjcmV0S2V5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODk=",
                "VGhpc0lzTXlDdXN0b21TZWNyZXRLZXkwMTIzNDU2Nzg=",
                "SecretKey012345678901234567890123456789012345678901234567890123456789",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "c2hvcnQ=",
                "no base64!",
            })
    void refusesAnInvalidSecret(String secret) {
        for (String key : new String[] {"nacos.core.auth.plugin.nacos.token.secret.key", "NACOS_AUTH_TOKEN"}) {
            CairnException refusal = catchThrowableOfType(
                    CairnException.class, () -> auth(Map.of("nacos.core.auth.enabled", "true", key, secret)));
            assertThat(refusal).isNotNull().hasMessageStartingWith(key + ": ");
            assertThat(refusal.getMessage()).doesNotContain(secret);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nacos.core.auth.plugin.nacos.token.expire.seconds",
                "nacos.core.auth.default.token.expire.seconds"
            })
    void theLifetimeOfTokensHasTheNamesAndTheRangeOfNacos(String key) {
        for (String seconds : new String[] {"1", "18001", "315360000", "2147483647"}) {
            assertThat(auth(Map.of("nacos.core.auth.enabled", "true", key, seconds))
                            .tokenTimeToLive())
                    .hasSeconds(Integer.parseInt(seconds));
        }
        assertThat(catchThrowableOfType(
                        CairnException.class, () -> auth(Map.of("nacos.core.auth.enabled", "true", key, "0"))))
                .hasMessage(key + ": 0 (expected: 1-2147483647)");
    }

    private static AuthSettings auth(Map<String, String> settings) {
        return AuthSettings.read(environment(settings), read(settings).address().getAddress());
    }

    @ParameterizedTest
    @CsvSource({
        "nacos.core.auth.enabled, false",
        "nacos.core.auth.enabled, ''",
        "nacos.core.auth.admin.enabled, false",
        "nacos.standalone, true",
    })
    void acceptsSettingsWithoutAnEffect(String key, String value) {
        assertThatCode(() -> read(Map.of(key, value))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.port",
                "nacos.server.main.port",
                "server.address",
                "server.servlet.contextPath",
                "server.servlet.context-path",
                "nacos.server.contextPath",
                "nacos.config.push.maxRetryTime",
                "nacos.remote.server.grpc.sdk.max-inbound-message-size",
                "nacos.remote.server.grpc.maxinbound.message.size",
                "nacos.inetutils.ip-address"
            })
    void everyKeyIsListedInTheFile(String key) throws IOException {
        assertThat(Files.readString(FILE)).containsPattern("[ #]" + Pattern.quote(key) + "[=,)]");
    }

    @Test
    void uncommentingAllLinesChangesNothing() throws IOException {
        Map<String, String> unmarked = new TreeMap<>();
        for (String line : Files.readAllLines(FILE)) {
            if (line.matches("#(server|nacos)\\.[\\w.-]+=.*")) {
                String[] setting = line.substring(1).split("=", 2);
                unmarked.put(setting[0], setting[1]);
            }
        }

        assertThat(unmarked).hasSizeGreaterThan(5);
        assertThat(read(unmarked)).isEqualTo(read(Map.of()));
    }

    private static void assertRefused(String key, String value, String message) {
        CairnException refusal = catchThrowableOfType(CairnException.class, () -> read(Map.of(key, value)));
        assertThat(refusal).as("%s=%s", key, value).isNotNull().hasMessage(message);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
    }

    private static NacosSettings read(Map<String, String> settings) {
        return NacosSettings.read(environment(settings));
    }

    private static StandardEnvironment environment(Map<String, String> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        // The environment variables of this machine are ignored.
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        sources.addFirst(new MapPropertySource("test", Map.copyOf(settings)));
        return environment;
    }
}
