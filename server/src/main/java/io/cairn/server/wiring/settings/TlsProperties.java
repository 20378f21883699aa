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
 * @param certificate file in PEM with the server's certificate and those that signed it; empty for no TLS
 * @param privateKey file in PEM with its key
 * @param privateKeyPassword of that file
 * @param trustedCertificates file in PEM with the certificates that may sign those of clients
 * @param clientAuthentication whether clients show certificates
 * @param clientIdentity what in a certificate says who the client is
 * @param clientIdentityPattern that this must match; its first group is the user's name
 * @param plainText who may speak without TLS
 * @param protocols that are spoken
 * @param ciphers that are offered; empty for those of the platform
 * @param reloadInterval at which it is looked whether the files have changed
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
