package io.cairn.junit.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Run by the build: starts and stops a server once and writes down which classes that took. */
public final class Recording {

    private Recording() {}

    /** @param arguments the folder of this module's classes */
    public static void main(String[] arguments) throws IOException {
        Path list = Path.of(arguments[0]).resolve(ServerJars.CLASSES);
        Files.deleteIfExists(list);
        ServerLoader loader = IsolatedServer.loader();
        loader.noteClasses();
        Path home = Files.createTempDirectory(
                "cairn-recording-" + ProcessHandle.current().pid() + "-");
        try {
            IsolatedServer.start(home, 0, Map.of()).close();
            Files.write(list, loader.loaded());
        } finally {
            delete(home);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
