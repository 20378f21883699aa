package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A few configurations and clients move from a Nacos to Cairn, with changes on both sides on their way. */
public abstract class MigrationScenarios {

    private static final String GROUP = "DEFAULT_GROUP";
    private static final String SERVICE = "moving";
    private static final int PORT = 8081;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    abstract NacosProcess.Release release();

    @Test
    void movesFromNacosWithChangesOnBothSides() throws Exception {
        CompletableFuture<CairnProcess> starting =
                CompletableFuture.supplyAsync(() -> CairnProcess.builder().start());
        try (NacosProcess nacos = NacosProcess.start(release(), folder.resolve("nacos"), false);
                CairnProcess cairn = starting.join();
                NacosClients configsAtNacos = new NacosClients(nacos.address());
                NacosClients configsAtCairn = new NacosClients(cairn.serverAddress());
                NamingClients atNacos = new NamingClients(nacos.address());
                NamingClients atCairn = new NamingClients(cairn.serverAddress())) {
            MigrationServer source = new MigrationServer(nacos.address());
            MigrationServer target = new MigrationServer(cairn.serverAddress());
            ConfigService old = configsAtNacos.open();
            for (int i = 0; i < 3; i++) {
                assertThat(old.publishConfig("c-" + i, GROUP, "a: " + i, "yaml"))
                        .isTrue();
            }
            source.publish("c-0", "beta", Map.of(), Map.of("betaIps", "10.0.0.1"));
            source.publish("c-1", "blue", Map.of("tag", "blue"), Map.of());
            NamingService provider = atNacos.open();
            provider.registerInstance(SERVICE, "10.0.0.1", PORT);
            Path bridges = Files.createDirectory(folder.resolve("bridge"));
            try (MigrationBridge bridge =
                    MigrationBridge.follow(bridges, nacos.address(), cairn.serverAddress(), "--gray-tags", "blue")) {
                carries(target);
                follows(old, configsAtCairn.open(), source);
                moves(bridge, provider, atCairn.open(), source, target);
                assertThat(bridge.cutOver(PATIENCE)).as(bridge.output()).isZero();
            }
            // A Nacos shows a change after half a second.
            await().until(() -> !source.showsCopy(SERVICE) && !source.knowsABridge());
            assertThat(target.knowsABridge()).isFalse();
            assertThat(target.showsCopy(SERVICE)).isFalse();
            assertThat(target.shows(SERVICE, PORT)).isTrue();
        }
    }

    private static void carries(MigrationServer target) {
        await().atMost(START)
                .until(() -> target.config("c-0").equals("a: 0")
                        && target.config("c-2").equals("a: 2"));
        await().until(() -> target.config("c-0", Map.of("beta", "true")).contains("beta"));
        await().until(() -> target.config("c-1", Map.of("tag", "blue")).equals("blue"));
        await().until(() -> target.shows(SERVICE, PORT) && target.showsCopy(SERVICE));
    }

    private static void follows(ConfigService old, ConfigService young, MigrationServer source) throws Exception {
        RecordingListener listener = new RecordingListener();
        young.addListener("c-0", GROUP, listener);
        old.publishConfig("c-0", GROUP, "a: changed");
        await().until(() -> listener.hasNow("a: changed"));
        young.publishConfig("c-2", GROUP, "a: from Cairn");
        await().until(() -> source.config("c-2").equals("a: from Cairn"));
    }

    /** The client is at the other server before it leaves, as with a start of its next version. */
    private static void moves(
            MigrationBridge bridge,
            NamingService provider,
            NamingService moved,
            MigrationServer source,
            MigrationServer target)
            throws Exception {
        moved.registerInstance(SERVICE, "10.0.0.1", PORT);
        await().until(() -> !target.showsCopy(SERVICE));
        provider.deregisterInstance(SERVICE, "10.0.0.1", PORT);
        await().until(() -> source.showsCopy(SERVICE));
        List<Integer> ports = List.of(PORT);
        try (SteadyCalls calls =
                new SteadyCalls(new ListedPorts(source, SERVICE, ports), Set.copyOf(ports), Duration.ofMillis(50))) {
            bridge.killAndStart();
            await().until(() -> bridge.output().contains("created public/DEFAULT_GROUP/" + SERVICE));
            assertThat(calls.violations()).isEmpty();
        }
        assertThat(target.shows(SERVICE, PORT) && !target.showsCopy(SERVICE)).isTrue();
    }
}
