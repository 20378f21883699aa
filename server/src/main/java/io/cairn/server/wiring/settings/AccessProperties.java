package io.cairn.server.wiring.settings;

import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of access that Nacos does not have.
 *
 * @param allowAnonymousNetwork whether everybody is let in who reaches a network address; said loudly at each start
 * @param allowAnonymousMetrics whether anybody may read the meters, where all else asks for a login
 * @param replaceKnownPasswords whether users whose password everybody knows get a new one at start
 * @param firstPasswordFile the password of the first user; empty to have one made
 * @param trustedProxies addresses whose {@code X-Forwarded-For} is believed in the audit and in slowing down logins
 * @param trustedHosts names of this server beside its addresses, {@code localhost} and names without a dot, by which it
 *     is called where no login is asked for, and hosts whose pages may call it then; {@code *} for any
 * @param failures wrong passwords of one user at one address, after which the user must wait
 * @param addressFailures wrong passwords of one address
 * @param userFailures wrong passwords for one user from whatever address
 * @param firstWait after too many; it doubles with each further one
 * @param longestWait to which it grows
 * @param auditRetention for which the audit is kept
 */
@ConfigurationProperties("cairn.auth")
public record AccessProperties(
        @DefaultValue("false") boolean allowAnonymousNetwork,
        @DefaultValue("false") boolean allowAnonymousMetrics,
        @DefaultValue("false") boolean replaceKnownPasswords,
        @DefaultValue("") String firstPasswordFile,
        @DefaultValue Set<String> trustedProxies,
        @DefaultValue Set<String> trustedHosts,
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
        // Less would take away what has only just happened.
        CairnProperties.atLeast("auth.audit-retention", auditRetention, Duration.ofHours(1));
    }
}
