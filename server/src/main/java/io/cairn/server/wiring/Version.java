package io.cairn.server.wiring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/** The version that was built, from the jar's manifest. */
final class Version {

    static final String TEXT = read();

    private static final String UNKNOWN = "unknown";

    private Version() {}

    private static String read() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** The revision of the sources that the build was given; {@code unknown} where it was given none. */
    static String revision() {
        URL location = Version.class.getResource("Version.class");
        if (location == null || !location.getProtocol().equals("jar")) {
            return UNKNOWN;
        }
        try {
            Manifest manifest = ((JarURLConnection) location.openConnection()).getManifest();
            @Nullable
            String revision =
                    manifest == null ? null : manifest.getMainAttributes().getValue("Implementation-Revision");
            return revision == null || revision.isBlank() ? UNKNOWN : revision;
        } catch (IOException e) {
            throw new UncheckedIOException("the manifest of " + location + " cannot be read", e);
        }
    }
}
