package io.cairn.server.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The authorities of the certificates that other servers present to this one. */
public final class TrustedAuthorities {

    private TrustedAuthorities() {}

    /**
     * @param file as PEM; null for the authorities of the Java runtime
     * @throws IllegalArgumentException for a file that cannot be used
     */
    public static SSLContext context(@Nullable Path file) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(file == null ? null : store(file));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "trusted-certificates: " + file + ": " + e.getMessage() + " (expected: certificates as PEM)", e);
        }
    }

    private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream text = Files.newInputStream(file)) {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(text)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
        }
        if (store.size() == 0) {
            throw new GeneralSecurityException("has no certificate");
        }
        return store;
    }
}
