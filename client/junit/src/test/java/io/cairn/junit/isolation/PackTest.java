package io.cairn.junit.isolation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackTest {

    private static final String NAME = PackTest.class.getName();
    private static final String FILE = NAME.replace('.', '/') + ".class";

    @TempDir
    Path folder;

    private List<Path> jars;
    private Path file;

    @BeforeEach
    void twoJars() throws IOException {
        byte[] ours;
        try (InputStream in = PackTest.class.getResourceAsStream("PackTest.class")) {
            ours = in.readAllBytes();
        }
        jars = List.of(
                jar("a.jar", Map.of("both", "of a".getBytes(UTF_8), "newer", "old".getBytes(UTF_8))),
                jar(
                        "b.jar",
                        Map.of(
                                "both",
                                "of b".getBytes(UTF_8),
                                "folder/",
                                new byte[0],
                                "META-INF/versions/99/newer",
                                "new".getBytes(UTF_8),
                                FILE,
                                ours)));
        file = folder.resolve("start.pack");
    }

    @Test
    void hasTheContentOfTheJars() throws Exception {
        List<String> asked = List.of("both", "folder", "folder/", "newer", "nowhere");
        try (ServerLoader plain = new ServerLoader(urls(), Optional.empty());
                PackWriter writer = new PackWriter(jars)) {
            plain.noteAll();
            Class<?> expected = plain.loadClass(NAME);
            writer.packages(plain.getDefinedPackages());
            writer.classes(plain.loaded());
            writer.resources(asked);
            writer.write(file);

            try (ServerLoader packed = new ServerLoader(urls(), Pack.open(file, jars))) {
                assertThat(packed.pack().orElseThrow().classNames()).containsExactly(NAME);
                Class<?> actual = packed.loadClass(NAME);

                assertThat(actual.getClassLoader()).isSameAs(packed);
                assertThat(actual.getProtectionDomain().getCodeSource().getLocation())
                        .isEqualTo(
                                expected.getProtectionDomain().getCodeSource().getLocation());
                assertThat(actual.getPackage().getImplementationVersion())
                        .isEqualTo(expected.getPackage().getImplementationVersion())
                        .isEqualTo("b.jar");
                for (String name : asked) {
                    assertThat(addresses(packed, name)).as(name).isEqualTo(addresses(plain, name));
                }
                assertThat(packed.getResourceAsStream("both")).hasContent("of a");
                assertThat(packed.getResourceAsStream("newer")).hasContent("old");
            }
        }
    }

    @Test
    void doesNotSearchForClassesThatAStartMissed() throws Exception {
        try (PackWriter writer = new PackWriter(jars)) {
            writer.absent(List.of(NAME));
            writer.write(file);
        }

        try (ServerLoader packed = new ServerLoader(urls(), Pack.open(file, jars))) {
            assertThat(packed.pack().orElseThrow().isAbsent(NAME)).isTrue();
            assertThat(catchThrowable(() -> packed.loadClass(NAME))).isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void countsOnlyForTheJarsThatItWasMadeOf() throws Exception {
        try (PackWriter writer = new PackWriter(jars)) {
            writer.write(file);
        }
        assertThat(Pack.open(file, jars)).isPresent();

        assertThat(Pack.open(file, List.of(jars.get(0)))).isEmpty();
        assertThat(Pack.open(folder.resolve("none"), jars)).isEmpty();
        jar("a.jar", Map.of("both", "of a, and longer".getBytes(UTF_8)));
        assertThat(Pack.open(file, jars)).isEmpty();
    }

    private static List<String> addresses(ClassLoader loader, String name) throws IOException {
        return Collections.list(loader.getResources(name)).stream()
                .map(URL::toExternalForm)
                .toList();
    }

    private URL[] urls() {
        return jars.stream().map(ServerJars::url).toArray(URL[]::new);
    }

    private Path jar(String name, Map<String, byte[]> entries) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MULTI_RELEASE, "true");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, name);
        Path jar = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream zip = new JarOutputStream(out, manifest)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        }
        return jar;
    }
}
