package io.cairn.server.auth.issuer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.attention.Finding;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.RoleRule;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds settings of an issuer that do not fit its tokens: clock, certificate, audience, rules. Thread-safe. */
final class IssuerFindings {

    /** A rule that matches nobody is reported after this time with tokens. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final Duration RECENT = Duration.ofHours(1);
    private static final Duration CERTIFICATE = Duration.ofDays(30);

    private final IssuerSettings settings;
    private final IssuerHttp http;
    private final Clock clock;

    /** Rules of the settings. */
    @GuardedBy("this")
    private final Set<String> unmatched = new HashSet<>();

    /** All stored rules, each with the time since when no token has matched it; 0 after a match. */
    @GuardedBy("this")
    private final Map<String, Long> unmatchedStored = new HashMap<>();

    @GuardedBy("this")
    private long firstAcceptedMillis;

    @GuardedBy("this")
    private long otherAudienceMillis;

    @GuardedBy("this")
    private long otherAudiences;

    @GuardedBy("this")
    private String otherAudience = "";

    IssuerFindings(IssuerSettings settings, List<RoleRule> rules, IssuerHttp http, Clock clock) {
        this.settings = settings;
        this.http = http;
        this.clock = clock;
        rules.forEach(rule -> unmatched.add(rule.toString()));
    }

    synchronized void storedRules(List<String> rules) {
        unmatchedStored.keySet().retainAll(rules);
        rules.forEach(rule -> unmatchedStored.putIfAbsent(rule, clock.millis()));
    }

    synchronized void accepted(List<String> rules) {
        unmatched.removeAll(rules);
        rules.forEach(rule -> unmatchedStored.replace(rule, 0L));
        if (firstAcceptedMillis == 0) {
            firstAcceptedMillis = clock.millis();
        }
    }

    synchronized void otherAudience(IssuerTokens.Refused refused) {
        otherAudiences = isRecent() ? otherAudiences + 1 : 1;
        otherAudienceMillis = clock.millis();
        otherAudience = refused.detail();
    }

    @GuardedBy("this")
    private boolean isRecent() {
        return otherAudiences > 0 && clock.millis() - otherAudienceMillis < RECENT.toMillis();
    }

    synchronized List<Finding> all() {
        List<Finding> found = new ArrayList<>();
        long offset = Math.abs(http.clockOffsetMillis());
        // The issuer sends whole seconds.
        if (offset > settings.clockSkew().toMillis() + 1_000) {
            found.add(finding(
                    true,
                    "CLOCK",
                    "its clock and that of this server differ by " + offset / 1000 + " s (allowed: "
                            + settings.clockSkew().toSeconds() + " s)"));
        }
        long certificateEnd = http.certificateEndMillis();
        long left = certificateEnd - clock.millis();
        if (certificateEnd > 0 && left < CERTIFICATE.toMillis()) {
            found.add(finding(left < 0, "CERTIFICATE", "its certificate ends in " + left / 86_400_000 + " days"));
        }
        if (isRecent()) {
            found.add(finding(
                    false,
                    "AUDIENCE",
                    Finding.count(otherAudiences, "token") + " for another audience, the last one with "
                            + otherAudience));
        }
        if (firstAcceptedMillis > 0 && clock.millis() - firstAcceptedMillis >= PATIENCE.toMillis()) {
            unmatched.stream()
                    .sorted()
                    .map(rule -> finding(
                            false, "RULE", "the rule " + rule + " has matched no token since this server started"))
                    .forEach(found::add);
            unmatchedStored.entrySet().stream()
                    .filter(rule -> rule.getValue() > 0 && clock.millis() - rule.getValue() >= PATIENCE.toMillis())
                    .map(Map.Entry::getKey)
                    .sorted()
                    .map(rule -> finding(
                            false,
                            "RULE",
                            "the stored rule " + rule + " has matched no token since it is in force on this server"))
                    .forEach(found::add);
        }
        return found;
    }

    private Finding finding(boolean urgent, String reason, String detail) {
        return new Finding(Finding.Kind.ISSUER_MISFIT, urgent, settings.issuer(), "", detail, 0, 0, 0, reason);
    }
}
