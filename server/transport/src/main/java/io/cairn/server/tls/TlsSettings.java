package io.cairn.server.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the ports are encrypted.
 *
 * @param certificate the server's, with those that signed it below
 * @param privateKey of the server's certificate
 * @param privateKeyPassword of the file; null when it is not encrypted
 * @param trusted who may sign the certificates of clients; null when clients are not asked for any
 * @param protocols that are spoken, of {@code TLSv1.2} and {@code TLSv1.3}
 * @param ciphers that are offered; empty for those of the platform
 * @param plainRpc who may speak without TLS on the gRPC port
 * @param plainHttp who may speak without TLS on the HTTP port
 */
public record TlsSettings(
        PemFile certificate,
        PemFile privateKey,
        @Nullable String privateKeyPassword,
        @Nullable PemFile trusted,
        ClientAuthentication clientAuthentication,
        ClientNames clientNames,
        List<String> protocols,
        List<String> ciphers,
        PlainText plainRpc,
        PlainText plainHttp) {

    public TlsSettings {
        protocols = List.copyOf(protocols);
        ciphers = List.copyOf(ciphers);
    }

    /**
     * A file that a setting names.
     *
     * @param setting as the user has written it, for messages
     */
    public record PemFile(String setting, Path path) {

        @Override
        public String toString() {
            return setting + ": " + path;
        }
    }

    /** Whether clients show certificates. */
    public enum ClientAuthentication {
        /** They are not asked. */
        NONE,
        /** They may. */
        WANT,
        /** They must. */
        NEED
    }

    /** The clients that may connect without TLS. */
    public enum PlainText {
        ACCEPTED,
        /** Only clients on this machine. */
        LOCAL,
        REFUSED
    }

    /** The part of a certificate that identifies the client. */
    public enum ClientIdentity {
        NONE,
        /** The common name of the subject. */
        CN,
        /** A DNS name among the alternative names. */
        DNS,
        /** A URI among the alternative names, such as one of SPIFFE. */
        URI,
        /** An address of mail among the alternative names. */
        EMAIL
    }

    /**
     * How a certificate becomes a user.
     *
     * @param pattern that the whole of the name must match; its first group, if it has one, is the user's name
     */
    public record ClientNames(ClientIdentity identity, Pattern pattern) {}

    @Override
    public String toString() {
        return "TlsSettings[" + certificate + ", clients " + clientAuthentication + ']';
    }
}
