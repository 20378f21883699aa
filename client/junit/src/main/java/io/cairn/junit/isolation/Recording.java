package io.cairn.junit.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Starts a server once and writes its {@link Pack}; run by the build. */
public final class Recording {

    private Recording() {}

    public static void main(String[] arguments) throws IOException {
        ServerJars jars = ServerJars.unpacked();
        Files.deleteIfExists(jars.pack());
        ServerLoader loader = IsolatedServer.loader();
        loader.noteAll();
        Path home = Files.createTempDirectory(
                "cairn-recording-" + ProcessHandle.current().pid() + "-");
        try (PackWriter pack = new PackWriter(jars.jars());
                IsolatedServer server = IsolatedServer.start(home, 0, Map.of())) {
            pack.packages(loader.getDefinedPackages());
            pack.classes(loader.loaded());
            pack.absent(loader.missed());
            pack.resources(loader.asked());
            pack.write(jars.pack());
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
