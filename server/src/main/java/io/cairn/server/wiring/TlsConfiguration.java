package io.cairn.server.wiring;

import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.tls.ServerTls;
import io.cairn.server.tls.TlsSettings;
import io.cairn.server.wiring.lifecycle.TlsLifecycle;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.TlsKeys;
import io.cairn.server.wiring.settings.TlsProperties;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TlsProperties.class)
class TlsConfiguration {

    /** The protocols of the HTTP port over TLS, in order of preference. */
    private static final List<String> HTTP_PROTOCOLS = List.of("h2", "http/1.1");

    @Bean(destroyMethod = "close")
    TlsLifecycle tlsLink(
            Environment environment,
            TlsProperties properties,
            Timer timer,
            WorkPools pools,
            Clock clock,
            MeterRegistry meters,
            ServerLimits limits) {
        if (properties.reloadInterval().compareTo(Duration.ofMillis(100)) < 0) {
            throw NacosSettings.refusal("cairn.tls.reload-interval: "
                    + properties.reloadInterval().toMillis() + "ms (expected: at least 100ms)");
        }
        TlsSettings settings =
                new TlsKeys(environment, properties, Path.of(environment.getProperty("cairn.home", ""))).read();
        if (settings == null) {
            return new TlsLifecycle(null, properties.reloadInterval(), timer, pools.files());
        }
        ServerTls tls = new ServerTls(settings, HTTP_PROTOCOLS, limits.headSeconds(), clock);
        meters.gauge(
                MeterNames.CERTIFICATE_REMAINING,
                tls,
                present -> (present.certificate().getNotAfter().toInstant().toEpochMilli() - clock.millis()) / 1000.0);
        FunctionCounter.builder(MeterNames.TLS_FAILURES, tls, ServerTls::failures)
                .register(meters);
        return new TlsLifecycle(tls, properties.reloadInterval(), timer, pools.files());
    }
}
