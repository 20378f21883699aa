package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate of 127.0.0.1 that signs itself, and its key. */
record OwnCertificate(Path certificate, Path key) {

    static OwnCertificate in(Path folder) throws Exception {
        Path store = folder.resolve("own.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore loaded = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        OwnCertificate own = new OwnCertificate(folder.resolve("server.pem"), folder.resolve("server.key"));
        write(own.certificate(), "CERTIFICATE", loaded.getCertificate("own").getEncoded());
        write(
                own.key(),
                "PRIVATE KEY",
                loaded.getKey("own", "changeit".toCharArray()).getEncoded());
        return own;
    }

    private static void write(Path file, String kind, byte[] der) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + kind
                        + "-----\n");
    }
}
