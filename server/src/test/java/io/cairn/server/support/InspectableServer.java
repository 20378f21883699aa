package io.cairn.server.support;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.wiring.CairnApplication;
import io.cairn.server.wiring.settings.InternalTimings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server whose parts a test may look at and call, where the wire does not show them. */
public final class InspectableServer implements BeforeAllCallback, AfterAllCallback {

    private final Map<String, String> settings = new LinkedHashMap<>();
    /** A write of a test is answered also when the JVM stood still for seconds. */
    private InternalTimings timings = InternalTimings.PRODUCTION.withCallerWaits(PATIENCE);

    private CairnApplication.Running running;
    private Path home;

    private InspectableServer() {}

    public static InspectableServer temporary() {
        return new InspectableServer();
    }

    public InspectableServer with(String setting, String value) {
        settings.put(setting, value);
        return this;
    }

    /** Changes internal timings that no setting reaches. */
    public InspectableServer timed(UnaryOperator<InternalTimings> change) {
        timings = change.apply(timings);
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        home = Files.createTempDirectory("cairn-open-");
        List<String> arguments = new ArrayList<>(List.of("--server.port=0"));
        settings.forEach((name, value) -> arguments.add("--" + name + '=' + value));
        running = CairnApplication.start(
                Map.of(
                        "cairn.home",
                        home.toString(),
                        "cairn.data-dir",
                        home.resolve("data").toString()),
                arguments,
                timings);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (running != null) {
            running.context().close();
        }
        try (Stream<Path> files = Files.walk(home)) {
            files.sorted(Comparator.reverseOrder()).forEach(InspectableServer::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int httpPort() {
        return running.httpPort();
    }

    public int grpcPort() {
        return running.grpcPort();
    }

    /** The one part of that type. */
    public <T> T part(Class<T> type) {
        return running.context().getBean(type);
    }

    public WireClient newTransport() {
        return WireClient.connect("127.0.0.1", grpcPort());
    }

    /** A connection that is set up. */
    public WireClient newClient() {
        return newTransport().setUp();
    }
}
