package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Certificates of a test, made by the JDK's tool. */
final class Certificates {

    private static final String STORE_PASSWORD = "only-for-this-test";

    private Certificates() {}

    /** Writes a self-signed {@code NAME.pem} and {@code NAME.key} with these alternative names. */
    static void write(Path folder, String name, String names)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve(name + ".p12");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        names,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        STORE_PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("keytool made no certificate for " + name);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, STORE_PASSWORD.toCharArray());
        }
        write(
                folder.resolve(name + ".pem"),
                "CERTIFICATE",
                keys.getCertificate(name).getEncoded());
        write(
                folder.resolve(name + ".key"),
                "PRIVATE KEY",
                keys.getKey(name, STORE_PASSWORD.toCharArray()).getEncoded());
    }

    private static void write(Path file, String kind, byte[] der) throws IOException {
        var lines = new ArrayList<String>();
        lines.add("-----BEGIN " + kind + "-----");
        lines.add(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der));
        lines.add("-----END " + kind + "-----");
        Files.write(file, lines);
    }
}
