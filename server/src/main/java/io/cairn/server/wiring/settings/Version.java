package io.cairn.server.wiring.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

public final class Version {

    public static final String TEXT = read();

    private static final String UNKNOWN = "unknown";

    private Version() {}

    private static String read() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    public static String revision() {
        @Nullable CodeSource source = Version.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            return UNKNOWN;
        }
        Path location = Path.of(URI.create(source.getLocation().toString()));
        if (!Files.isRegularFile(location)) {
            return UNKNOWN;
        }
        try (JarFile jar = new JarFile(location.toFile())) {
            Manifest manifest = jar.getManifest();
            @Nullable
            String revision =
                    manifest == null ? null : manifest.getMainAttributes().getValue("Implementation-Revision");
            return revision == null || revision.isBlank() ? UNKNOWN : revision;
        } catch (IOException e) {
            throw new UncheckedIOException("the manifest of " + location + " cannot be read", e);
        }
    }
}
