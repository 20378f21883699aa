package io.cairn.server.wiring;

import io.cairn.server.admission.AcceptFailures;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.limit.ConnectionLimits;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.OpenFiles;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.XdsProperties;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LimitConfiguration {

    @Bean
    ServerLimits serverLimits(
            CairnProperties properties, NacosSettings settings, XdsProperties mesh, MeterRegistry meters) {
        CairnProperties.Limits limits = properties.limits();
        OpenFiles files = new OpenFiles();
        ServerLimits all = new ServerLimits(
                new Limit("connections", "cairn.limits.connections", limits.connections()),
                new Limit(
                        "long-connections",
                        "cairn.connections.max",
                        properties.connections().max()),
                new Limit(
                        "connections-per-address",
                        "cairn.limits.connections-per-address",
                        limits.connectionsPerAddress()),
                new Limit("requests-per-second", "cairn.limits.requests-per-second", limits.requestsPerSecond()),
                new Limit(
                        "watches-per-connection", "cairn.limits.watches-per-connection", limits.watchesPerConnection()),
                new Limit("instances-per-client", "cairn.limits.instances-per-client", limits.instancesPerClient()),
                new Limit("body-bytes", "cairn.config.max-content", maxBodyBytes(properties)),
                new Limit(
                        "head-bytes",
                        "cairn.limits.head-bytes",
                        limits.headBytes().toBytes()),
                new Limit(
                        "message-bytes",
                        "nacos.remote.server.grpc.sdk.max-inbound-message-size",
                        settings.maxMessageBytes()),
                new Limit(
                        "head-seconds",
                        "cairn.limits.head-time",
                        limits.headTime().toSeconds()),
                new Limit(
                        "answer-seconds",
                        "cairn.limits.answer-time",
                        limits.answerTime().toSeconds()),
                new Limit("unread-answer-bytes", "cairn.limits.unread-answers", unreadAnswerBytes(limits)),
                new Limit("mesh-clusters", "cairn.xds.max-clusters", mesh.maxClusters()),
                new Limit("open-files", "ulimit -n", files.max()).measuredBy(files::used));
        for (Limit limit : all.all()) {
            Gauge.builder(MeterNames.LIMIT_USED, limit, Limit::used)
                    .tag("limit", limit.name())
                    .register(meters);
            Gauge.builder(MeterNames.LIMIT_MAX, limit, Limit::max)
                    .tag("limit", limit.name())
                    .register(meters);
            FunctionCounter.builder(MeterNames.LIMIT_EXCEEDED, limit, Limit::timesExceeded)
                    .tag("limit", limit.name())
                    .register(meters);
        }
        return all;
    }

    @Bean
    AcceptFailures acceptFailures(ServerLimits limits, Clock clock) {
        return new AcceptFailures(limits.openFiles(), clock);
    }

    @Bean
    AnswerMemory answerMemory(ServerLimits limits) {
        return new AnswerMemory(limits.unreadAnswerBytes());
    }

    private static long unreadAnswerBytes(CairnProperties.Limits limits) {
        long bytes = limits.unreadAnswers().toBytes();
        return bytes == 0 ? Runtime.getRuntime().maxMemory() / 4 : bytes;
    }

    /** A form may spend three bytes on a byte of the content. */
    static int maxBodyBytes(CairnProperties properties) {
        return (int)
                Math.min(Integer.MAX_VALUE, properties.config().maxContent().toBytes() * 3 + 1024 * 1024);
    }

    @Bean
    RequestLimit requestLimit(ServerLimits limits) {
        return new RequestLimit(limits.requestsPerSecond());
    }

    @Bean
    ConnectionAdmission connectionAdmission(ServerLimits limits) {
        return new ConnectionAdmission(new ConnectionLimits(limits.connections(), limits.connectionsPerAddress()));
    }
}
