package io.cairn.server.tls;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Reports a server certificate that expires soon. */
public final class CertificateFindings implements FindingSource {

    private static final Duration SOON = Duration.ofDays(30);
    private static final Duration URGENT = Duration.ofDays(7);

    private final ServerTls tls;
    private final Clock clock;

    public CertificateFindings(ServerTls tls, Clock clock) {
        this.tls = tls;
        this.clock = clock;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        Duration left = Duration.between(
                clock.instant(), tls.certificate().getNotAfter().toInstant());
        return left.compareTo(SOON) > 0
                ? List.of()
                : List.of(new Finding(
                        Finding.Kind.CERTIFICATE_ENDS,
                        left.compareTo(URGENT) < 0,
                        tls.certificate().getSubjectX500Principal().getName(),
                        "",
                        "",
                        left.toSeconds(),
                        0));
    }
}
