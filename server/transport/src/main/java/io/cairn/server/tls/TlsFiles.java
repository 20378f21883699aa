package io.cairn.server.tls;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The contents of certificate and key files, read together. */
final class TlsFiles {

    private static final byte[] PROBE = {1, 2, 3, 4};

    private final byte[] certificate;
    private final byte[] privateKey;
    private final byte @Nullable [] trusted;

    private TlsFiles(byte[] certificate, byte[] privateKey, byte @Nullable [] trusted) {
        this.certificate = certificate;
        this.privateKey = privateKey;
        this.trusted = trusted;
    }

    /** @throws CairnException {@code INVALID_PARAMETER} when a file cannot be read */
    static TlsFiles read(TlsSettings settings) {
        TlsSettings.PemFile trusted = settings.trusted();
        return new TlsFiles(
                PemReader.read(settings.certificate()),
                PemReader.read(settings.privateKey()),
                trusted == null ? null : PemReader.read(trusted));
    }

    boolean isSame(TlsFiles other) {
        return Arrays.equals(certificate, other.certificate)
                && Arrays.equals(privateKey, other.privateKey)
                && Arrays.equals(trusted, other.trusted);
    }

    /** @param chain the server's certificate first */
    record Contexts(SslContext rpc, SslContext http, List<X509Certificate> chain) {}

    /** @throws CairnException {@code INVALID_PARAMETER} when the files are invalid or do not match */
    Contexts contexts(TlsSettings settings, List<String> httpProtocols) {
        List<X509Certificate> chain = PemReader.certificates(settings.certificate(), certificate);
        PrivateKey key = PemReader.privateKey(settings.privateKey(), privateKey, settings.privateKeyPassword());
        if (!belong(key, chain.get(0).getPublicKey())) {
            throw PemReader.bad(
                    settings.privateKey(),
                    "is not the key of the first certificate in "
                            + settings.certificate().path() + ", which is of '"
                            + chain.get(0).getSubjectX500Principal().getName() + "'",
                    null);
        }
        return new Contexts(
                context(settings, key, chain, List.of("h2")), context(settings, key, chain, httpProtocols), chain);
    }

    private SslContext context(
            TlsSettings settings, PrivateKey key, List<X509Certificate> chain, List<String> protocols) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(key, chain.toArray(X509Certificate[]::new))
                    .sslProvider(SslProvider.JDK)
                    .protocols(settings.protocols())
                    .clientAuth(clientAuth(settings))
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            protocols));
            if (!settings.ciphers().isEmpty()) {
                builder.ciphers(settings.ciphers());
            }
            TlsSettings.PemFile file = settings.trusted();
            if (file != null && trusted != null) {
                builder.trustManager(PemReader.certificates(file, trusted).toArray(X509Certificate[]::new));
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, settings.certificate() + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static ClientAuth clientAuth(TlsSettings settings) {
        return switch (settings.clientAuthentication()) {
            case NONE -> ClientAuth.NONE;
            case WANT -> ClientAuth.OPTIONAL;
            case NEED -> ClientAuth.REQUIRE;
        };
    }

    /** Whether the keys form a pair; without this check, the first client would find the error. */
    private static boolean belong(PrivateKey key, PublicKey certified) {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    case "DSA" -> "SHA256withDSA";
                    default -> key.getAlgorithm();
                };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // The keys differ in type or size.
            return false;
        }
    }
}
