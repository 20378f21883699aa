package io.cairn.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

final class Trust {

    private Trust() {}

    /** @throws Failure for a file without a certificate */
    static SSLContext of(Path pem) {
        try (InputStream file = Files.newInputStream(pem)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.setCertificateEntry("ca-" + count++, certificate);
            }
            if (count == 0) {
                throw new Failure("--ca-file: " + pem + ": no certificate in it (expected: PEM)");
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (NoSuchFileException e) {
            throw new Failure("--ca-file: " + pem + ": no such file", e);
        } catch (IOException | GeneralSecurityException e) {
            throw new Failure("--ca-file: " + pem + " cannot be read as certificates: " + e.getMessage(), e);
        }
    }
}
