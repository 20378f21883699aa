package io.cairn.server.wiring;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The sources of the server's modules. */
final class ServerSources {

    private static final Path SERVER = Path.of("..", "server");

    private ServerSources() {}

    /** The folders of the main sources of all modules that make up the server. */
    static List<Path> folders() {
        return Stream.of("base", "transport", "core", "storage", "cluster", "edges", ".")
                .map(module -> SERVER.resolve(module).resolve("src/main/java").normalize())
                .toList();
    }
}
