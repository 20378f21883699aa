package io.cairn.server.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** Maps verified client certificates to users. */
final class ClientCertificates {

    private static final int RFC822_NAME = 1;
    private static final int DNS_NAME = 2;
    private static final int URI = 6;

    private final TlsSettings.ClientNames names;

    ClientCertificates(TlsSettings.ClientNames names) {
        this.names = names;
    }

    /** The user of the first matching name; null without a match. */
    @Nullable
    CertifiedUser userOf(X509Certificate certificate) {
        for (String name : namesIn(certificate)) {
            Matcher matcher = names.pattern().matcher(name);
            if (matcher.matches()) {
                String user = matcher.groupCount() == 0 ? matcher.group() : matcher.group(1);
                if (user != null && !user.isBlank()) {
                    return new CertifiedUser(
                            user, certificate.getNotAfter().toInstant().toEpochMilli());
                }
            }
        }
        return null;
    }

    private List<String> namesIn(X509Certificate certificate) {
        return switch (names.identity()) {
            case NONE -> List.of();
            case CN -> commonName(certificate);
            case DNS -> alternativeNames(certificate, DNS_NAME);
            case URI -> alternativeNames(certificate, URI);
            case EMAIL -> alternativeNames(certificate, RFC822_NAME);
        };
    }

    private static List<String> commonName(X509Certificate certificate) {
        try {
            List<Rdn> parts = new LdapName(certificate.getSubjectX500Principal().getName()).getRdns();
            // The last common name is the most specific one.
            for (int i = parts.size() - 1; i >= 0; i--) {
                if (parts.get(i).getType().equalsIgnoreCase("CN")
                        && parts.get(i).getValue() instanceof String name) {
                    return List.of(name);
                }
            }
            return List.of();
        } catch (InvalidNameException e) {
            // An unreadable subject identifies no user.
            return List.of();
        }
    }

    private static List<String> alternativeNames(X509Certificate certificate, int kind) {
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            List<String> found = new ArrayList<>();
            if (all != null) {
                for (List<?> name : all) {
                    if (name.get(0).equals(kind) && name.get(1) instanceof String text) {
                        found.add(text);
                    }
                }
            }
            return found;
        } catch (CertificateParsingException e) {
            // Unreadable names identify no user.
            return List.of();
        }
    }
}
