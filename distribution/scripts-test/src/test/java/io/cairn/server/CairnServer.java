package io.cairn.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Replaces the packed server in a test. It is ready at once and then uses up its memory, or it is never ready and gives the reason. */
public final class CairnServer {

    private static final int PART_BYTES = 1024 * 1024;
    private static final String WAITS = "--fake.waits=";

    private CairnServer() {}

    /**
     * Ends by the flags that the script has given.
     *
     * @param arguments with {@code --fake.waits=…} it is never ready, for that reason
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        Path status = Path.of(System.getProperty("cairn.status-file"));
        for (String argument : arguments) {
            if (argument.startsWith(WAITS)) {
                write(
                        status.resolveSibling(status.getFileName() + ".waiting"),
                        argument.substring(WAITS.length()) + '\n');
                Thread.currentThread().join();
            }
        }
        write(status, "ready\n");
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            kept.add(new byte[PART_BYTES]);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path written = Files.writeString(file.resolveSibling("written"), text);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
