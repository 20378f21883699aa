package io.cairn.server.wiring;

import io.cairn.api.installation.ReadableSecrets;
import io.cairn.server.admission.AcceptFailures;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.push.AckCoalescer;
import io.cairn.server.timer.Standstill;
import io.cairn.server.timer.WheelTimer;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.micrometer.core.instrument.config.MeterFilter;
import io.netty.util.Timer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Builds the server from parts without Spring: the other configurations, and the shared threads, memory and data folder. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(CairnProperties.class)
@Import({
    AccessConfiguration.class,
    AttentionConfiguration.class,
    BackupConfiguration.class,
    ClusterConfiguration.class,
    ConfigConfiguration.class,
    ConfigHttpConfiguration.class,
    ConfigPushConfiguration.class,
    ConnectionConfiguration.class,
    CoreHttpConfiguration.class,
    DatabaseConfiguration.class,
    DirectoryConfiguration.class,
    EventConfiguration.class,
    FuzzyConfigConfiguration.class,
    IssuerConfiguration.class,
    LifecycleConfiguration.class,
    LimitConfiguration.class,
    LoggingConfiguration.class,
    MeshConfiguration.class,
    NacosMetersConfiguration.class,
    NamingConfiguration.class,
    NamingHttpConfiguration.class,
    PortConfiguration.class,
    StoredMeshConfiguration.class,
    TlsConfiguration.class,
    TransferConfiguration.class,
    ValidationConfiguration.class
})
class CairnConfiguration {

    private static final Logger log = LoggerFactory.getLogger(CairnConfiguration.class);

    @Bean
    NacosSettings nacosSettings(Environment environment) {
        return NacosSettings.read(environment);
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    /** Static, because it must exist before the first meter. */
    @Bean
    static MeterFilter latencyBuckets() {
        return new LatencyBuckets();
    }

    /** Static, because it must exist before the first meter. */
    @Bean
    static MeterFilter meterDescriptions() {
        return new MeterDescriptions();
    }

    @Bean(destroyMethod = "close")
    DataFolder dataFolder(CairnProperties properties, NacosSettings settingsCheckedFirst, Environment environment) {
        Path home = Path.of(environment.getProperty("cairn.home", ""));
        DataFolder folder = DataFolder.lock(home.resolve(properties.dataDir()));
        warnOfReadableSecrets(home.resolve("conf"));
        return folder;
    }

    /** Only warns: the folder may be read-only, or belong to another program. */
    private static void warnOfReadableSecrets(Path conf) {
        try {
            ReadableSecrets.in(conf)
                    .forEach(file -> log.warn(
                            "{} has a secret, and every user of this machine can read it: chmod 600 {}", file, file));
        } catch (IOException | UncheckedIOException e) {
            log.warn("The permissions of the files in {} cannot be checked: {}", conf, e.toString());
        }
    }

    @Bean
    MemoryBudget memoryBudget() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    @Bean(destroyMethod = "close")
    WorkPools workPools(CairnProperties properties) {
        return new WorkPools(properties.store());
    }

    @Bean
    Standstill standstill() {
        return new Standstill();
    }

    @Bean(destroyMethod = "stop")
    Timer timer(Standstill standstill) {
        return new WheelTimer("cairn-timer", standstill);
    }

    @Bean(destroyMethod = "close")
    EventLoops eventLoops(CairnProperties properties, AcceptFailures acceptFailures) {
        int threads = properties.ioThreads();
        return new EventLoops(
                threads > 0 ? threads : Math.max(2, Runtime.getRuntime().availableProcessors()),
                AckCoalescer::over,
                acceptFailures);
    }
}
