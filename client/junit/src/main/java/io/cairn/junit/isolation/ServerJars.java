package io.cairn.junit.isolation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * The jars of the server, stored in this jar, and their {@link Pack}. They are unpacked below the user's cache folder, once
 * for each version and user. A folder with missing files or wrong sizes is replaced.
 */
final class ServerJars {

    private static final String FOLDER = "META-INF/cairn-server/";

    /** The {@link Pack}, written by {@link Recording}. */
    private static final String PACK = "start.pack";

    private final List<Path> jars;
    private final Path pack;

    private final @Nullable Path cached;

    private ServerJars(List<Path> jars, Path pack, @Nullable Path cached) {
        this.jars = jars;
        this.pack = pack;
        this.cached = cached;
    }

    static ServerJars unpacked() {
        try {
            Path home = Path.of(ServerJars.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return Files.isDirectory(home) ? inFolder(home.resolve(FOLDER)) : inJar(home);
        } catch (IOException e) {
            throw new UncheckedIOException("The server's jars cannot be unpacked: " + e.getMessage(), e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    ServerLoader newLoader() {
        try {
            return new ServerLoader(jars.stream().map(ServerJars::url).toArray(URL[]::new), Pack.open(pack, jars));
        } catch (IOException e) {
            throw new UncheckedIOException(pack + " cannot be read: " + e.getMessage(), e);
        }
    }

    List<Path> jars() {
        return jars;
    }

    /** The cache folder of the jars; null when a build supplies the jars, which it replaces later. */
    @Nullable
    Path cached() {
        return cached;
    }

    Path pack() {
        return pack;
    }

    static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ServerJars inFolder(Path folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
            files.forEach(jars::add);
        }
        Collections.sort(jars);
        return new ServerJars(List.copyOf(jars), folder.resolve(PACK), null);
    }

    private static ServerJars inJar(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Map<String, ZipEntry> entries = new TreeMap<>();
            CRC32 sum = new CRC32();
            zip.stream()
                    .filter(entry -> entry.getName().startsWith(FOLDER) && !entry.isDirectory())
                    .forEach(entry -> entries.put(entry.getName().substring(FOLDER.length()), entry));
            entries.forEach((name, entry) -> sum.update(
                    (name + ' ' + entry.getSize() + ' ' + entry.getCrc() + '\n').getBytes(StandardCharsets.UTF_8)));
            Path folder = cache().resolve(Long.toHexString(sum.getValue()));
            if (!isComplete(folder, entries)) {
                unpack(zip, entries, folder);
            }
            return new ServerJars(
                    entries.keySet().stream()
                            .filter(name -> name.endsWith(".jar"))
                            .map(folder::resolve)
                            .toList(),
                    folder.resolve(PACK),
                    folder);
        }
    }

    private static Path cache() {
        String home = System.getProperty("user.home", "");
        return Path.of(home, ".cache", "cairn", "junit");
    }

    private static boolean isComplete(Path folder, Map<String, ZipEntry> entries) throws IOException {
        for (Map.Entry<String, ZipEntry> entry : entries.entrySet()) {
            Path file = folder.resolve(entry.getKey());
            if (!Files.isRegularFile(file)
                    || Files.size(file) != entry.getValue().getSize()) {
                return false;
            }
        }
        return true;
    }

    /** Unpacks into a temporary folder and renames it. */
    private static void unpack(ZipFile zip, Map<String, ZipEntry> entries, Path folder) throws IOException {
        Path parent = Files.createDirectories(folder.getParent());
        Path draft = Files.createTempDirectory(parent, "unpacking");
        try {
            if (draft.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwx------"));
            }
            for (Map.Entry<String, ZipEntry> entry : entries.entrySet()) {
                try (InputStream in = zip.getInputStream(entry.getValue())) {
                    Files.copy(in, draft.resolve(entry.getKey()));
                }
            }
            if (isComplete(folder, entries)) {
                // Another process was faster, and may be reading the files.
                return;
            }
            try {
                Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                if (isComplete(folder, entries)) {
                    return;
                }
                delete(folder);
                Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            if (!isComplete(folder, entries)) {
                throw e;
            }
        } finally {
            delete(draft);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
