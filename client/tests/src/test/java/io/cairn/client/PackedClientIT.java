package io.cairn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.cairn.server.support.CairnExtension;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The jar that users get: alone on its class path it does all, and it brings nothing that could meet their own. */
class PackedClientIT {

    @RegisterExtension
    static final CairnExtension CAIRN = CairnExtension.temporary();

    private static final long MOST_BYTES = 7_000_000;

    private static Path jar() throws URISyntaxException {
        Path place = Path.of(CairnClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        // An IDE has folders of classes instead; the build has the jar.
        assumeThat(place.toString()).endsWith(".jar");
        return place;
    }

    @Test
    void nothingLiesOutsideOfCairnsOwnPackages() throws IOException, URISyntaxException {
        try (JarFile jar = new JarFile(jar().toFile())) {
            List<String> classes = jar.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .toList();
            assertThat(classes)
                    .hasSizeGreaterThan(100)
                    .allMatch(name -> name.startsWith("io/cairn/client/") || name.startsWith("io/cairn/api/"));
            assertThat(classes).noneMatch(name -> name.startsWith("io/cairn/api/wire/"));
            assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.startsWith("META-INF/services/")))
                    .allMatch(name -> name.endsWith("/") || name.startsWith("META-INF/services/io.cairn."));
            assertThat(classes).noneMatch(name -> name.contains("com/google/protobuf"));
        }
        assertThat(Files.size(jar())).isLessThan(MOST_BYTES);
    }

    @Test
    void aloneOnItsClassPathItReadsWritesAndBinds() throws Exception {
        Path classes = Path.of(PackedUse.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (URLClassLoader alone =
                new OnlyThese(jar().toUri().toURL(), classes.toUri().toURL())) {
            Class<?> use = alone.loadClass(PackedUse.class.getName());
            assertThat(use.getClassLoader()).isSameAs(alone);
            Object said = use.getMethod("use", String.class)
                    .invoke(null, CAIRN.server().address());
            assertThat(said).isEqualTo("Limits[max=5] 10.0.0.1:80/DEFAULT");
        }
    }

    /** Sees the JDK and these, and nothing of the test's class path. */
    private static final class OnlyThese extends URLClassLoader {

        OnlyThese(URL... urls) {
            super(urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            URL found = findResource(name);
            try {
                return found == null ? super.getResourceAsStream(name) : found.openStream();
            } catch (IOException e) {
                return null;
            }
        }
    }
}
