package io.cairn.junit.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

public final class Folders {

    private Folders() {}

    /** The name contains the id of this process. */
    public static Path temporary(String purpose) {
        try {
            return Files.createTempDirectory(
                    "cairn-" + purpose + '-' + ProcessHandle.current().pid() + '-');
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder can be made", e);
        }
    }

    /** Deletes a folder with its contents, if it exists. */
    public static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("temporary folder " + folder + " cannot be deleted", e);
        }
    }
}
