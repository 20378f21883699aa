package io.cairn.junit.isolation;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Writes a {@link Pack}, in the order of names, so that two builds are equal, with the classes that the oldest supported Java finds in the jars. Newer versions load the classes of
 * multi-release jars from these.
 */
final class PackWriter implements Closeable {

    private static final int OLDEST_JAVA = 17;
    private static final String VERSIONS = "META-INF/versions/";

    private final List<JarFile> jars = new ArrayList<>();
    /** Multi-release classes with the first Java version that finds another file. */
    private final Map<String, Integer> newer = new HashMap<>();

    private final StringBuilder index = new StringBuilder();
    private final ByteArrayOutputStream contents = new ByteArrayOutputStream();

    PackWriter(List<Path> files) throws IOException {
        for (Path file : files) {
            JarFile jar = new JarFile(
                    file.toFile(), false, ZipFile.OPEN_READ, Runtime.Version.parse(Integer.toString(OLDEST_JAVA)));
            jars.add(jar);
            line(Pack.JAR, file.getFileName().toString(), Long.toString(Files.size(file)));
            noteNewer(jar);
        }
    }

    private void noteNewer(JarFile jar) {
        jar.stream()
                .map(JarEntry::getName)
                .filter(name -> name.startsWith(VERSIONS))
                .forEach(name -> {
                    int end = name.indexOf('/', VERSIONS.length());
                    int version = end < 0 ? 0 : Integer.parseInt(name.substring(VERSIONS.length(), end));
                    if (version > OLDEST_JAVA) {
                        newer.merge(name.substring(end + 1), version, Math::min);
                    }
                });
    }

    void packages(Package[] packages) {
        for (Package of : Stream.of(packages)
                .sorted(Comparator.comparing(Package::getName))
                .toList()) {
            line(Stream.of(
                            Pack.PACKAGE,
                            of.getName(),
                            of.getSpecificationTitle(),
                            of.getSpecificationVersion(),
                            of.getSpecificationVendor(),
                            of.getImplementationTitle(),
                            of.getImplementationVersion(),
                            of.getImplementationVendor())
                    .map(value -> Objects.toString(value, ""))
                    .toArray(String[]::new));
        }
    }

    void classes(Collection<String> names) throws IOException {
        for (String name : new TreeSet<>(names)) {
            String file = name.replace('.', '/') + ".class";
            List<String> found = find(file, 1);
            if (!found.isEmpty()) {
                int before = newer.getOrDefault(file, Integer.MAX_VALUE);
                line(Pack.CLASS, name, found.get(0), found.get(1), Integer.toString(before));
            }
        }
    }

    void absent(Collection<String> classNames) {
        new TreeSet<>(classNames).forEach(name -> line(Pack.ABSENT, name));
    }

    void resources(Collection<String> names) throws IOException {
        for (String name : new TreeSet<>(names)) {
            if (!newer.containsKey(name)) {
                line(Stream.concat(Stream.of(Pack.RESOURCE, name), find(name, jars.size()).stream())
                        .toArray(String[]::new));
            }
        }
    }

    private List<String> find(String name, int most) throws IOException {
        List<String> found = new ArrayList<>();
        List<byte[]> bytes = new ArrayList<>();
        for (int i = 0; i < jars.size() && found.size() < 2 * most; i++) {
            JarEntry entry = jars.get(i).getJarEntry(name);
            if (entry == null) {
                continue;
            }
            found.add(Integer.toString(i));
            if (isFolder(jars.get(i), name)) {
                found.add(Integer.toString(Pack.FOLDER));
                continue;
            }
            try (InputStream in = jars.get(i).getInputStream(entry)) {
                bytes.add(in.readAllBytes());
            }
            found.add(Integer.toString(bytes.get(bytes.size() - 1).length));
        }
        for (byte[] content : bytes) {
            contents.write(content);
        }
        return found;
    }

    private static boolean isFolder(JarFile jar, String name) {
        return name.endsWith("/") || jar.getJarEntry(name + '/') != null;
    }

    private void line(String... fields) {
        if (Stream.of(fields).anyMatch(field -> field.indexOf('\t') >= 0 || field.indexOf('\n') >= 0)) {
            throw new IllegalArgumentException(
                    Stream.of(fields).collect(Collectors.joining("|")) + " (expected: neither tab nor line feed)");
        }
        index.append(String.join("\t", fields)).append('\n');
    }

    void write(Path file) throws IOException {
        byte[] lines = index.toString().getBytes(StandardCharsets.UTF_8);
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            out.writeInt(lines.length);
            out.write(lines);
            contents.writeTo(out);
        }
    }

    @Override
    public void close() throws IOException {
        for (JarFile jar : jars) {
            jar.close();
        }
    }
}
