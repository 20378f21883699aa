package io.cairn.server.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The operating system's information about a port. */
public final class Sockets {

    private static final String ESTABLISHED = "01";
    private static final String CLOSE_WAIT = "08";

    private Sockets() {}

    /** The number of open connections of that local port on the server's side; 0 on systems that do not report it. */
    public static long heldBy(int port) {
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(table -> lines(table).stream())
                .map(line -> line.trim().split("\\s+"))
                .filter(fields -> fields.length > 3
                        && fields[1].endsWith(String.format(":%04X", port))
                        && (fields[3].equals(ESTABLISHED) || fields[3].equals(CLOSE_WAIT)))
                .count();
    }

    private static List<String> lines(Path table) {
        try {
            return Files.readAllLines(table);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
