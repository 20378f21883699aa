package io.cairn.server.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The unpacked distribution whose {@code lib/*.jar} are run. */
record PackedServer(Path home) {
    /** The folder of the distribution; by default one above the working directory. */
    static final String LOCATION_PROPERTY = "cairn.distribution";

    private static final Path IN_REPOSITORY = Path.of("distribution", "target", "cairn");

    PackedServer {
        if (!Files.isDirectory(home.resolve("lib"))) {
            throw new IllegalStateException("no server in " + home + " (expected: a folder with lib/*.jar);"
                    + " build it with: ./mvnw -q -DskipTests -pl distribution -am package");
        }
    }

    static PackedServer locate() {
        String given = System.getProperty(LOCATION_PROPERTY);
        return given == null || given.isBlank()
                ? searchAbove(Path.of("").toAbsolutePath())
                : new PackedServer(Path.of(given).toAbsolutePath().normalize());
    }

    static PackedServer searchAbove(Path start) {
        for (@Nullable Path folder = start; folder != null; folder = folder.getParent()) {
            Path candidate = folder.resolve(IN_REPOSITORY);
            if (Files.isDirectory(candidate)) {
                return new PackedServer(candidate);
            }
        }
        return new PackedServer(start.resolve(IN_REPOSITORY));
    }

    /** In the order of the start scripts. */
    List<Path> jars() {
        try (var files = Files.list(home.resolve("lib"))) {
            return files.filter(file -> file.getFileName().toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String classPath() {
        return jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
