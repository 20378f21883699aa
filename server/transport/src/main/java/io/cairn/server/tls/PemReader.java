package io.cairn.server.tls;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/** Reads certificates and keys in PEM; error messages contain the remedy. */
final class PemReader {

    private static final String CERTIFICATE = "CERTIFICATE-----";
    private static final String CONVERT = " (expected: -----BEGIN PRIVATE KEY-----; others become that by"
            + " 'openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pem')";

    private PemReader() {}

    /** @throws CairnException {@code INVALID_PARAMETER} when the file cannot be read */
    static byte[] read(TlsSettings.PemFile file) {
        try {
            return Files.readAllBytes(file.path());
        } catch (NoSuchFileException e) {
            throw bad(
                    file,
                    "does not exist (expected: a file in PEM; a path that is not absolute begins at the home"
                            + " folder)",
                    e);
        } catch (AccessDeniedException e) {
            throw bad(
                    file,
                    "may not be read by the user '" + System.getProperty("user.name") + "' that the server runs as",
                    e);
        } catch (IOException e) {
            throw bad(file, "cannot be read: " + e.getMessage(), e);
        }
    }

    /** All certificates of a file in their order, at least one. */
    static List<X509Certificate> certificates(TlsSettings.PemFile file, byte[] content) {
        String text = text(content);
        if (!text.contains(CERTIFICATE)) {
            throw bad(
                    file,
                    "holds no certificate (expected: -----BEGIN CERTIFICATE-----; a file in DER becomes PEM by"
                            + " 'openssl x509 -inform der -in FILE -out FILE.pem')",
                    null);
        }
        try {
            return PemContent.of(text).getCertificates();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw bad(file, "holds a certificate that cannot be read: " + root(e).getMessage(), e);
        }
    }

    /** The private key of a file: PKCS#8, PKCS#1 for RSA, or SEC 1 for elliptic curves. */
    static PrivateKey privateKey(TlsSettings.PemFile file, byte[] content, @Nullable String password) {
        String text = text(content);
        boolean isEncrypted = text.contains("ENCRYPTED PRIVATE KEY");
        if (isEncrypted && password == null) {
            throw bad(
                    file,
                    "is encrypted (expected: its password in " + file.setting() + "-password, or in Nacos's"
                            + " words certPrivateKeyPassword)",
                    null);
        }
        try {
            PrivateKey key = PemContent.of(text).getPrivateKey(password);
            if (key != null) {
                return key;
            }
        } catch (IllegalStateException | IllegalArgumentException e) {
            if (!text.contains("PRIVATE KEY-----")) {
                throw bad(file, "holds no private key" + CONVERT, e);
            }
            if (!isEncrypted) {
                throw bad(file, "holds a private key that cannot be read: " + root(e).getMessage() + CONVERT, e);
            }
            Throwable cause = root(e);
            boolean isUnknown = cause instanceof IOException || cause instanceof NoSuchAlgorithmException;
            throw bad(
                    file,
                    isUnknown
                            ? "is encrypted in a way that this Java does not know: " + cause.getMessage() + CONVERT
                            : "cannot be decrypted with the password that is set" + CONVERT,
                    e);
        }
        throw bad(file, "holds no private key" + CONVERT, null);
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1);
    }

    private static Throwable root(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : root(cause);
    }

    static CairnException bad(TlsSettings.PemFile file, String what, @Nullable Throwable cause) {
        String text = file + " " + what;
        return cause == null
                ? new CairnException(ErrorCode.INVALID_PARAMETER, text)
                : new CairnException(ErrorCode.INVALID_PARAMETER, text, cause);
    }
}
