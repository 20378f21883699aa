package io.cairn.server.compatibility;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Consumers that find providers by interface and by application. */
class DubboDrainIT extends DrainedRestartScenarios {
    private static final String VERSION = "1.0.0";

    @Override
    Applications start(String serverAddress) throws IOException {
        ShadedGrpc.quieten();
        return new Hall(serverAddress);
    }

    private static final class Hall implements Applications {
        private final String serverAddress;
        private final GreeterProcess staying;
        private final List<GreeterConsumer> consumers;
        private @Nullable GreeterProcess restarted;

        Hall(String serverAddress) throws IOException {
            this.serverAddress = serverAddress;
            staying = provider();
            consumers = List.of(
                    GreeterConsumer.withoutRetries(serverAddress, VERSION, "FORCE_INTERFACE"),
                    GreeterConsumer.withoutRetries(serverAddress, VERSION, "FORCE_APPLICATION"));
        }

        private GreeterProcess provider() throws IOException {
            return GreeterProcess.start(serverAddress, "greeter", "all", VERSION);
        }

        @Override
        public List<CallingConsumer> consumers() {
            return List.copyOf(consumers);
        }

        @Override
        public int staying() {
            return staying.port();
        }

        @Override
        public int startProvider() throws IOException {
            restarted = provider();
            return restarted.port();
        }

        @Override
        public List<String> services() {
            return List.of("providers:" + Greeter.class.getName() + ':' + VERSION + ':', "greeter");
        }

        @Override
        public void stopProvider() {
            Objects.requireNonNull(restarted).close();
            restarted = null;
        }

        @Override
        public void close() {
            consumers.forEach(GreeterConsumer::close);
            staying.close();
            if (restarted != null) {
                restarted.close();
            }
        }
    }
}
