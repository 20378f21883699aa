package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Providers and consumers survive a restart of their server: all registrations return by themselves, and no list is empty
 * meanwhile.
 */
public abstract class NamingRestartScenarios extends NamingScenarios {
    /** Twice the default: clients need seconds to reconnect, and more on a busy machine. */
    private static final Duration RECOVERY_WINDOW = Duration.ofSeconds(30);

    @BeforeEach
    @Override
    void useSharedServer(CairnProcess shared) {}

    @ParameterizedTest
    @EnumSource(RestartScenarios.Ending.class)
    void keepsLiveProvidersAndRemovesDeadOnesAfterARestart(RestartScenarios.Ending ending) throws Exception {
        try (CairnProcess own = startOwnServer("--cairn.naming.recovery-window=" + RECOVERY_WINDOW.toSeconds() + "s")) {
            useServer(own);
            String alone = newService();
            String crowded = newService();
            String persistent = newService();
            String mixed = newService();
            Instance lonely = newInstance();
            List<Instance> crowd = newInstances(5);
            Instance kept = newPersistentInstance();
            Instance survivor = newInstance();
            Instance victim = newShortLivedInstance();

            NamingService provider = clients().open();
            provider.registerInstance(alone, withMetadata(lonely, "version", "1"));
            registerAll(provider, crowded, crowd);
            provider.registerInstance(persistent, withMetadata(kept, "version", "1"));
            provider.registerInstance(mixed, copy(survivor));
            NamingService dying = clients().open();
            dying.registerInstance(mixed, copy(victim));
            Map<String, List<Instance>> living =
                    Map.of(alone, List.of(lonely), crowded, crowd, persistent, List.of(kept), mixed, List.of(survivor));

            try (var witness =
                    new AvailabilityProbe(own.serverAddress(), clients().open(), living)) {
                var ofMixed = new RecordingSubscriber();
                NamingService consumer = clients().open();
                consumer.subscribe(mixed, ofMixed);
                awaitNow(ofMixed, survivor, victim);
                witness.awaitAll();
                if (ending == RestartScenarios.Ending.KILL) {
                    awaitRemembered(own, crowd, List.of(lonely, survivor, victim));
                }

                ending.end(own);
                dying.shutDown();
                own.restart();
                long restarted = System.nanoTime();

                for (var service : living.entrySet()) { // A consumer without an earlier state
                    assertThat(RecordingSubscriber.addresses(query(clients().open(), service.getKey())))
                            .containsAll(addresses(service.getValue()));
                }
                awaitNow(RECOVERY_WINDOW.plus(PATIENCE), ofMixed, List.of(survivor));
                patiently(RECOVERY_WINDOW.plus(PATIENCE))
                        .until(() -> System.nanoTime() - restarted > RECOVERY_WINDOW.toNanos());

                // After the window only returned instances are left.
                for (var service : living.entrySet()) {
                    assertFound(clients().open(), service.getKey(), service.getValue());
                }
                assertThat(queryOne(clients().open(), alone).getMetadata()).containsEntry("version", "1");
                assertThat(queryOne(clients().open(), alone).isHealthy()).isTrue();

                // Returned clients are served and notified.
                Instance late = newInstance();
                clients().open().registerInstance(mixed, copy(late));
                awaitNow(ofMixed, survivor, late);
                provider.registerInstance(mixed, withMetadata(survivor, "version", "2"));
                patiently().untilAsserted(() -> assertThat(ofMixed.newest().orElseThrow())
                        .filteredOn(instance -> instance.toInetAddr().equals(survivor.toInetAddr()))
                        .singleElement()
                        .satisfies(
                                instance -> assertThat(instance.getMetadata()).containsEntry("version", "2")));
                witness.assertNothingMissed();
            }
        }
    }

    /** The server stores instances within a second: an earlier kill loses the newest. */
    @SafeVarargs
    private static void awaitRemembered(CairnProcess server, List<Instance>... instances) {
        patiently().untilAsserted(() -> {
            var remembered = new StringBuilder();
            try (var files = Files.newDirectoryStream(server.home().resolve("data"), "last-known.db*")) {
                for (Path file : files) {
                    remembered.append(Files.readString(file, ISO_8859_1));
                }
            }
            for (List<Instance> some : instances) {
                assertThat(remembered)
                        .contains(some.stream()
                                .map(instance -> '"' + instance.getIp() + '"')
                                .toArray(String[]::new));
            }
        });
    }
}
