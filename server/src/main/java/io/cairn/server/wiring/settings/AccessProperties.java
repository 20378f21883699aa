package io.cairn.server.wiring.settings;

import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of access beyond Nacos.
 *
 * @param allowAnonymousNetwork whether every client of a network address is admitted; each start warns of it
 * @param rehearsal whether the rights of clients that need no login are checked, without refusing them
 * @param allowAnonymousMetrics whether meters need no login
 * @param replaceKnownPasswords whether well-known passwords are replaced at the start
 * @param firstPasswordFile the first user's password; empty to generate one
 * @param trustedProxies addresses whose {@code X-Forwarded-For} counts in the audit and in login delays
 * @param trustedHosts further host names of this server without login, and hosts whose pages may call it then, beside its
 *     addresses, {@code localhost} and names without a dot; {@code *} for any
 * @param requireCurrentPassword whether users need their present password to set another; not in Nacos
 * @param failures wrong passwords of one user at one address before a wait
 * @param addressFailures wrong passwords of one address
 * @param userFailures wrong passwords of one user
 * @param firstWait doubles with each further one
 * @param longestWait bound of the wait
 */
@ConfigurationProperties("cairn.auth")
public record AccessProperties(
        @DefaultValue("false") boolean allowAnonymousNetwork,
        @DefaultValue("false") boolean rehearsal,
        @DefaultValue("false") boolean allowAnonymousMetrics,
        @DefaultValue("false") boolean replaceKnownPasswords,
        @DefaultValue("") String firstPasswordFile,
        @DefaultValue Set<String> trustedProxies,
        @DefaultValue Set<String> trustedHosts,
        @DefaultValue("true") boolean requireCurrentPassword,
        @DefaultValue("5") int failures,
        @DefaultValue("50") int addressFailures,
        @DefaultValue("500") int userFailures,
        @DefaultValue("5s") Duration firstWait,
        @DefaultValue("15m") Duration longestWait,
        @DefaultValue("365d") Duration auditRetention) {

    public AccessProperties {
        CairnProperties.inRange("auth.failures", failures, 1, Long.MAX_VALUE);
        CairnProperties.inRange("auth.address-failures", addressFailures, 1, Long.MAX_VALUE);
        CairnProperties.inRange("auth.user-failures", userFailures, 1, Long.MAX_VALUE);
        CairnProperties.atLeast("auth.first-wait", firstWait, Duration.ofMillis(1));
        CairnProperties.atLeast("auth.longest-wait", longestWait, Duration.ofSeconds(1));
        CairnProperties.atLeast("auth.audit-retention", auditRetention, Duration.ofHours(1));
    }
}
