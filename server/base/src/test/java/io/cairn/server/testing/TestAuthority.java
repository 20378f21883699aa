package io.cairn.server.testing;

import static io.cairn.testing.WireBytes.concat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;

/** Signs certificates for tests, of whatever names and times; nothing of it is kept. */
public final class TestAuthority {

    private static final byte[] ECDSA_SHA256 = {
        0x30, 0x0a, 0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2
    };
    private static final byte[] BASIC_CONSTRAINTS = {0x06, 0x03, 0x55, 0x1d, 0x13};
    private static final byte[] ALTERNATIVE_NAMES = {0x06, 0x03, 0x55, 0x1d, 0x11};
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int URI = 0x86;
    private static final int DNS = 0x82;
    private static final int ADDRESS = 0x87;

    private final KeyPair keys = newKeys();
    private final X500Principal name;
    private final X509Certificate certificate;

    public TestAuthority(String name) {
        this.name = new X500Principal("CN=" + name);
        Instant now = Instant.now();
        this.certificate = sign(
                this.name,
                keys,
                now.minus(Duration.ofHours(1)),
                now.plus(Duration.ofDays(1)),
                extension(BASIC_CONSTRAINTS, sequence(new byte[] {1, 1, -1})));
    }

    /** A certificate with its key. */
    public record Issued(X509Certificate certificate, PrivateKey key) {

        public void write(Path certificateFile, Path keyFile) {
            TestAuthority.write(certificateFile, "CERTIFICATE", encoded(certificate));
            TestAuthority.write(keyFile, "PRIVATE KEY", key.getEncoded());
        }
    }

    /** A server on this machine, good for a day. */
    public Issued server() {
        return server(Instant.now().plus(Duration.ofDays(1)));
    }

    public Issued server(Instant until) {
        return issue(
                new X500Principal("CN=localhost"),
                until,
                concat(
                        element(DNS, "localhost".getBytes(StandardCharsets.US_ASCII)),
                        element(ADDRESS, new byte[] {127, 0, 0, 1})));
    }

    /** A client of that subject, such as {@code CN=orders}, and that URI among its other names. */
    public Issued client(String subject, String uri) {
        return issue(
                new X500Principal(subject),
                Instant.now().plus(Duration.ofDays(1)),
                element(URI, uri.getBytes(StandardCharsets.US_ASCII)));
    }

    private Issued issue(X500Principal subject, Instant until, byte[] names) {
        KeyPair pair = newKeys();
        X509Certificate issued = sign(
                subject, pair, until.minus(Duration.ofDays(2)), until, extension(ALTERNATIVE_NAMES, sequence(names)));
        return new Issued(issued, pair.getPrivate());
    }

    /** Writes its own certificate, for those who trust it. */
    public Path writeTo(Path file) {
        write(file, "CERTIFICATE", encoded(certificate));
        return file;
    }

    /** A context that trusts this authority and presents that certificate, unless it is null. */
    public SSLContext context(Issued client) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", certificate);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            KeyStore shown = KeyStore.getInstance("PKCS12");
            shown.load(null, null);
            if (client != null) {
                shown.setKeyEntry("client", client.key, new char[0], new X509Certificate[] {client.certificate});
            }
            own.init(shown, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private X509Certificate sign(X500Principal subject, KeyPair pair, Instant from, Instant until, byte[] extensions) {
        byte[] toBeSigned = sequence(
                new byte[] {(byte) 0xa0, 3, 2, 1, 2},
                element(
                        2,
                        BigInteger.valueOf(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE))
                                .toByteArray()),
                ECDSA_SHA256,
                name.getEncoded(),
                sequence(time(from), time(until)),
                subject.getEncoded(),
                pair.getPublic().getEncoded(),
                element(0xa3, sequence(extensions)));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(toBeSigned);
            byte[] der = sequence(toBeSigned, ECDSA_SHA256, element(3, concat(new byte[1], signature.sign())));
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] time(Instant at) {
        return element(0x18, TIME.format(at).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] extension(byte[] kind, byte[] value) {
        return sequence(kind, element(4, value));
    }

    private static byte[] sequence(byte[]... parts) {
        return element(0x30, concat(parts));
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, String kind, byte[] der) {
        try {
            Files.writeString(
                    file,
                    "-----BEGIN " + kind + "-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind
                            + "-----\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
