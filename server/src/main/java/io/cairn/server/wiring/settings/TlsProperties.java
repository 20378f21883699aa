package io.cairn.server.wiring.settings;

import io.cairn.server.tls.TlsSettings.ClientAuthentication;
import io.cairn.server.tls.TlsSettings.ClientIdentity;
import io.cairn.server.tls.TlsSettings.PlainText;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * TLS on both ports.
 *
 * @param certificate PEM file of the server's certificate and its signers; empty for no TLS
 * @param privateKey PEM file
 * @param trustedCertificates PEM file of certificates that may sign clients' ones
 * @param clientAuthentication whether clients send certificates
 * @param clientIdentity the part of a certificate that names the client
 * @param clientIdentityPattern of that part; its first group is the user's name
 * @param plainText clients without TLS
 * @param ciphers empty for the platform's
 * @param reloadInterval of checks for changed files
 */
@ConfigurationProperties("cairn.tls")
public record TlsProperties(
        @DefaultValue("") String certificate,
        @DefaultValue("") String privateKey,
        @DefaultValue("") String privateKeyPassword,
        @DefaultValue("") String trustedCertificates,
        @DefaultValue("none") ClientAuthentication clientAuthentication,
        @DefaultValue("none") ClientIdentity clientIdentity,
        @DefaultValue("(.+)") String clientIdentityPattern,
        @DefaultValue("accepted") PlainText plainText,
        @DefaultValue({"TLSv1.3", "TLSv1.2"}) List<String> protocols,
        @DefaultValue List<String> ciphers,
        @DefaultValue("10s") Duration reloadInterval) {

    public TlsProperties {
        CairnProperties.atLeast("tls.reload-interval", reloadInterval, Duration.ofMillis(100));
    }

    @Override
    public String toString() {
        return "TlsProperties[" + certificate + ']';
    }
}
