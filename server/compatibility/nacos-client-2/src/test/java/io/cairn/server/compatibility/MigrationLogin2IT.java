package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import io.cairn.server.process.CommandProcess;
import io.cairn.testing.HangLimit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A Nacos where every request needs a user. */
@Tag("endurance")
class MigrationLogin2IT {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @ParameterizedTest
    @EnumSource(names = "NACOS_1_3", mode = EnumSource.Mode.EXCLUDE)
    @HangLimit
    void followsANacosWithLogin(NacosProcess.Release release) throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "of-nacos-1");
        try (NacosProcess nacos = NacosProcess.start(release, folder.resolve("nacos"), true);
                CairnProcess cairn = CairnProcess.builder().start();
                NacosClients clients = new NacosClients(nacos.address())) {
            nacos.createAdministrator("of-nacos-1");
            Map<String, String> login =
                    Map.of(PropertyKeyConst.USERNAME, "nacos", PropertyKeyConst.PASSWORD, "of-nacos-1");
            ConfigService configs = clients.open(login);
            NamingService provider = NamingClients.create(nacos.address(), login);
            await().ignoreExceptions().until(() -> configs.publishConfig("a.yaml", "DEFAULT_GROUP", "a: 1"));
            await().ignoreExceptions().until(() -> {
                provider.registerInstance("moving", "10.0.0.1", 8080);
                return true;
            });
            MigrationServer target = new MigrationServer(cairn.serverAddress());
            Path bridges = Files.createDirectory(folder.resolve("bridge"));
            try (MigrationBridge bridge = MigrationBridge.follow(
                    bridges,
                    nacos.address(),
                    cairn.serverAddress(),
                    "--from-user",
                    "nacos",
                    "--from-password-file",
                    password.toString())) {
                await().until(() -> target.config("a.yaml").equals("a: 1"));
                await().until(() -> target.showsCopy("moving"));
                configs.publishConfig("a.yaml", "DEFAULT_GROUP", "a: 2");
                await().until(() -> target.config("a.yaml").equals("a: 2"));
                target.publish("b.yaml", "b: 1", Map.of(), Map.of());
                await().until(() -> "b: 1".equals(configs.getConfig("b.yaml", "DEFAULT_GROUP", PATIENCE.toMillis())));
                assertThat(bridge.isAlive()).as(bridge.output()).isTrue();
            } finally {
                provider.shutDown();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NACOS_1_3", mode = EnumSource.Mode.EXCLUDE)
    @HangLimit
    void carriesTheAccountsOfANacos(NacosProcess.Release release) throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "of-nacos-1");
        Path passwords = folder.resolve("passwords");
        try (NacosProcess nacos = NacosProcess.start(release, folder.resolve("nacos"), true);
                CairnProcess cairn = CairnProcess.builder()
                        .home(folder.resolve("cairn"))
                        .setting("server.address", "127.0.0.1")
                        .setting("nacos.core.auth.enabled", true)
                        .start();
                NacosClients clients = new NacosClients(cairn.serverAddress())) {
            nacos.createAdministrator("of-nacos-1");
            NacosAccounts accounts = NacosAccounts.logIn(release, nacos.address(), "of-nacos-1");
            accounts.createUser("orders", "of-orders-1");
            accounts.createRole("reader", "orders");
            accounts.grant("reader", "public:*:*", "r");
            try (CommandProcess migrate = CommandProcess.start(
                    folder.resolve("migrate.out"),
                    Map.of(),
                    "migrate",
                    "--from",
                    "http://" + nacos.address(),
                    "--from-user",
                    "nacos",
                    "--from-password-file",
                    password.toString(),
                    "--to",
                    "http://" + cairn.serverAddress(),
                    "--to-user",
                    "nacos",
                    "--to-password-file",
                    cairn.home().resolve("data/auth/initial-admin-password").toString(),
                    "--namespaces",
                    "public",
                    "--journal",
                    folder.resolve("journal").toString(),
                    "--accounts",
                    passwords.toString())) {
                assertThat(migrate.await(START)).as(migrate.output()).isZero();
                assertThat(migrate.output())
                        .contains("created user orders", "created role reader of user orders")
                        .contains("created permission r on public:*:* of role reader");
            }
            String given = Files.readString(passwords).strip().split(" ")[1];
            assertThat(given).isNotEqualTo("of-orders-1");
            ConfigService orders =
                    clients.open(Map.of(PropertyKeyConst.USERNAME, "orders", PropertyKeyConst.PASSWORD, given));
            assertThat(orders.getConfig("absent.yaml", "DEFAULT_GROUP", PATIENCE.toMillis()))
                    .isNull();
            assertThat(orders.publishConfig("absent.yaml", "DEFAULT_GROUP", "a: 1"))
                    .as("reads alone are granted")
                    .isFalse();
        }
    }
}
