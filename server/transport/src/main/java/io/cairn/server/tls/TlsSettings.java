package io.cairn.server.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of the ports.
 *
 * @param certificate the server's certificate, followed by its issuers
 * @param privateKeyPassword null for an unencrypted key
 * @param trusted the issuers of client certificates; null disables client certificates
 * @param protocols {@code TLSv1.2} and {@code TLSv1.3}
 * @param ciphers empty for the platform's default
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
     * A file in a setting.
     *
     * @param setting the name in the configuration, for messages
     */
    public record PemFile(String setting, Path path) {

        @Override
        public String toString() {
            return setting + ": " + path;
        }
    }

    public enum ClientAuthentication {
        NONE,
        /** Clients may present a certificate. */
        WANT,
        /** Clients must present a certificate. */
        NEED
    }

    /** The clients that may connect without TLS. */
    public enum PlainText {
        ACCEPTED,
        /** Accepted only from this machine. */
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
        /** A URI among the alternative names, such as a SPIFFE id. */
        URI,
        /** An email address among the alternative names. */
        EMAIL
    }

    /**
     * Maps a certificate to a user.
     *
     * @param pattern must match the whole name; its first group, if present, is the username
     */
    public record ClientNames(ClientIdentity identity, Pattern pattern) {}

    @Override
    public String toString() {
        return "TlsSettings[" + certificate + ", clients " + clientAuthentication + ']';
    }
}
