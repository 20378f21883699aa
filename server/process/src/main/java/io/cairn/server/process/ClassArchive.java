package io.cairn.server.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The parsed and linked classes of a packed server, beside the distribution. A start with the archive needs half the CPU time. The
 * build records it; tests use it where it fits.
 *
 * @param file named by JDK and jars, so a file for others is never used
 */
record ClassArchive(Path file) {
    private static final String PREFIX = "server-classes-";
    private static final String SUFFIX = ".jsa";

    /** The archive, recorded or not. */
    static ClassArchive of(PackedServer server, Path javaHome) throws IOException {
        var inputs = new CRC32();
        inputs.update(javaHome.toString().getBytes(UTF_8));
        try {
            inputs.update(Files.readAllBytes(javaHome.resolve("release")));
        } catch (NoSuchFileException unnamed) {
            inputs.update(Runtime.version().toString().getBytes(UTF_8));
        }
        for (Path jar : server.jars()) {
            BasicFileAttributes attributes = Files.readAttributes(jar, BasicFileAttributes.class);
            inputs.update((jar + " " + attributes.size() + " " + attributes.lastModifiedTime()).getBytes(UTF_8));
            if (jar.getFileName().toString().startsWith("cairn-")) {
                // The build is reproducible: another jar may have the same length and time.
                inputs.update(Files.readAllBytes(jar));
            }
        }
        return new ClassArchive(server.home().resolveSibling(PREFIX + Long.toHexString(inputs.getValue()) + SUFFIX));
    }

    /** The JVM arguments for the archive; empty before its record. A JVM that cannot use it ignores it. */
    List<String> flags() {
        return Files.isRegularFile(file)
                ? List.of("-XX:SharedArchiveFile=" + file, "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
                : List.of();
    }

    /**
     * Records the archive of the packed server and this JDK unless it exists, and deletes archives of other jars. Records nothing
     * where the JVM cannot.
     *
     * @throws IOException for unreadable jars or folder
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PackedServer server = PackedServer.locate();
        Path javaHome = Path.of(System.getProperty("java.home"));
        of(server, javaHome).record(server, javaHome);
    }

    private void record(PackedServer server, Path javaHome) throws IOException, InterruptedException {
        if (Files.isRegularFile(file)) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        try (var earlier = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (Path each : earlier) {
                Files.delete(each);
            }
        }
        Path draft = Files.createTempFile(folder, PREFIX, ".draft");
        Files.delete(draft);
        Path output = Files.createTempFile(folder, PREFIX, ".out");
        Process process = new ProcessBuilder(command(server, javaHome, draft))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int status = process.waitFor();
        String printed = Files.readString(output);
        Files.delete(output);
        if (status != 0 || !Files.isRegularFile(draft)) {
            // A JVM without a default archive cannot extend it. A server that does not start fails its tests.
            Files.deleteIfExists(draft);
            System.err.println("No class archive was recorded by the JVM in " + javaHome + " (status " + status
                    + "); servers of the tests start without one, for more CPU: " + printed);
            return;
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static List<String> command(PackedServer server, Path javaHome, Path draft) {
        var command = new ArrayList<String>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(ServerLaunch.SHORT_LIVED);
        command.add("-XX:ArchiveClassesAtExit=" + draft);
        command.add("-cp");
        command.add(server.classPath());
        command.add(ServerLaunch.MAIN_CLASS);
        command.add("--train");
        return command;
    }
}
