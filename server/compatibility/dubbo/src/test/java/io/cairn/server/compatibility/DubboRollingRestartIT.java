package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Consumers that find providers by interface and by application, and routing rules in the config center. */
class DubboRollingRestartIT extends RollingRestartScenarios {
    private static final String VERSION = "1.0.0";

    @Override
    Applications start(String serverAddresses) throws NacosException {
        ShadedGrpc.quieten();
        return new Hall(serverAddresses);
    }

    private static final class Hall implements Applications {
        private final ConfigService configs;
        private final List<GreeterProvider> providers;
        private final List<GreeterConsumer> consumers;

        Hall(String serverAddresses) throws NacosException {
            configs = NacosFactory.createConfigService(serverAddresses);
            providers = List.of(
                    GreeterProvider.start(serverAddresses, "greeter", "all", VERSION),
                    GreeterProvider.start(serverAddresses, "greeter", "all", VERSION));
            consumers = List.of(
                    GreeterConsumer.withoutRetries(serverAddresses, VERSION, "FORCE_INTERFACE"),
                    GreeterConsumer.withoutRetries(serverAddresses, VERSION, "FORCE_APPLICATION"));
        }

        @Override
        public Set<Integer> providers() {
            return providers.stream().map(GreeterProvider::port).collect(Collectors.toSet());
        }

        @Override
        public List<CallingConsumer> consumers() {
            return List.copyOf(consumers);
        }

        /** All calls go to this provider by this version, and to the other one by the next version. */
        private int chosen(int version) {
            return providers.get(version % providers.size()).port();
        }

        @Override
        public void publish(int version) throws NacosException {
            String rule = GreeterRouting.toPort(chosen(version));
            assertThat(configs.publishConfig(GreeterRouting.dataId(VERSION), GreeterRouting.GROUP, rule))
                    .as("publish of version %d", version)
                    .isTrue();
        }

        @Override
        public boolean follow(int version) {
            return consumers.stream().allMatch(consumer -> consumer.answering().equals(Set.of(chosen(version))));
        }

        @Override
        public void close() {
            consumers.forEach(GreeterConsumer::close);
            providers.forEach(GreeterProvider::close);
            try {
                configs.shutDown();
            } catch (NacosException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
