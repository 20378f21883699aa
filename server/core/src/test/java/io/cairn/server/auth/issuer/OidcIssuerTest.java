package io.cairn.server.auth.issuer;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.server.attention.Finding;
import io.cairn.server.auth.Claims;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.IssuerTokens.Issued;
import io.cairn.server.auth.IssuerTokens.Reading;
import io.cairn.server.auth.IssuerTokens.Refused;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.testing.SettableClock;
import io.cairn.testing.TestIssuer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OidcIssuerTest {

    private final TestIssuer issuer = TestIssuer.start();
    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger withdrawn = new AtomicInteger();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private OidcIssuer tokens;

    @BeforeEach
    void start() {
        tokens = of("groups=platform -> ROLE_ADMIN", "groups=team-* -> DEV", "realm_access.roles=ops -> OPS");
        keysRead(issuer.token("anyone").text());
    }

    @AfterEach
    void close() {
        tokens.close();
        timer.stop();
        issuer.close();
    }

    private OidcIssuer of(String... rules) {
        OidcIssuer made = new OidcIssuer(settings(issuer.url(), rules), timer, Clock.systemUTC(), nanos::get, meters);
        made.onWithdrawal(withdrawn::incrementAndGet);
        made.start();
        return made;
    }

    private static IssuerSettings settings(String url, String... rules) {
        return new IssuerSettings(
                url,
                Set.of(TestIssuer.AUDIENCE),
                new LinkedHashSet<>(IssuerSettings.ALGORITHMS),
                "preferred_username",
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                null,
                List.of(rules));
    }

    private void keysRead(String token) {
        await().untilAsserted(() -> assertThat(tokens.read(token)).isInstanceOf(Issued.class));
    }

    private IssuerIdentity identity(String token) {
        Reading reading = tokens.read(token);
        assertThat(reading).isInstanceOf(Issued.class);
        return ((Issued) reading).identity();
    }

    private Refused refused(String token) {
        Reading reading = tokens.read(token);
        assertThat(reading).isInstanceOf(Refused.class);
        return (Refused) reading;
    }

    @Test
    void aCallerIsTheSubjectOfTheIssuerWithTheRolesOfItsClaims() {
        IssuerIdentity alice = identity(issuer.token("4711")
                .with("preferred_username", "alice")
                .with("groups", List.of("team-orders", "lunch"))
                .with("realm_access", Map.of("roles", List.of("ops")))
                .text());

        assertThat(alice.issuer()).isEqualTo(issuer.url());
        assertThat(alice.subject()).isEqualTo("4711");
        assertThat(alice.name()).isEqualTo("oidc:alice (4711)");
        assertThat(alice.roles()).containsExactlyInAnyOrder("DEV", "OPS");
        assertThat(identity(issuer.token("4712").with("groups", "platform").text())
                        .roles())
                .containsExactly("ROLE_ADMIN");
    }

    @Test
    void aNameThatThePersonChoseStaysApartFromLocalUsersAndSubjects() {
        assertThat(identity(issuer.token("1")
                                .with("preferred_username", "nacos")
                                .text())
                        .name())
                .isEqualTo("oidc:nacos (1)");
        assertThat(identity(issuer.token("1")
                                .with("preferred_username", "boss (2) x")
                                .text())
                        .name())
                .isEqualTo("oidc:1");
    }

    @Test
    void tokensWithoutAnIssuerAreLeftToTheServer() {
        assertThat(tokens.read(issuer.token("x").without("iss").text())).isNull();
        assertThat(tokens.read("garbage")).isNull();
        assertThat(tokens.read(" " + issuer.token("x").text())).isNotInstanceOf(Issued.class);
    }

    @Test
    void everyCheckRefusesWithItsReason() {
        assertThat(refused(issuer.token("x")
                                .with("iss", "https://other.example")
                                .text())
                        .reason())
                .isEqualTo("issuer");
        assertThat(refused(issuer.token("x").with("aud", "other").text()).reason())
                .isEqualTo("audience");
        assertThat(refused(issuer.token("x").without("aud").text()).reason()).isEqualTo("audience");
        assertThat(refused(issuer.token("x").ends(Duration.ofMinutes(-1)).text())
                        .reason())
                .isEqualTo("expired");
        assertThat(refused(issuer.token("x").without("exp").text()).reason()).isEqualTo("expired");
        assertThat(refused(issuer.token("x")
                                .with("nbf", System.currentTimeMillis() / 1000 + 120)
                                .text())
                        .reason())
                .isEqualTo("not_yet_valid");
        assertThat(refused(issuer.token("x")
                                .with("iat", System.currentTimeMillis() / 1000 + 120)
                                .text())
                        .reason())
                .isEqualTo("not_yet_valid");
        assertThat(refused(issuer.token("x").withoutSignature()).reason()).isEqualTo("algorithm");
        assertThat(refused(issuer.token("x").signedWithPublicKey()).reason()).isEqualTo("algorithm");
        assertThat(refused(issuer.token("x").header("kid", "none").text()).reason())
                .isEqualTo("key");
        assertThat(refused(issuer.token("x").forged()).reason()).isEqualTo("signature");
        assertThat(refused(issuer.token("x").with("typ", "Refresh").text()).reason())
                .isEqualTo("type");
        assertThat(refused(issuer.token("").text()).reason()).isEqualTo("subject");
        assertThat(refused(issuer.token("x").without("sub").text()).reason()).isEqualTo("subject");
    }

    @Test
    void clocksMayDifferByTheSettingOnly() {
        assertThat(tokens.read(issuer.token("x").ends(Duration.ofSeconds(-10)).text()))
                .isInstanceOf(Issued.class);
        assertThat(tokens.read(issuer.token("x").ends(Duration.ofSeconds(-40)).text()))
                .isInstanceOf(Refused.class);
    }

    @Test
    void longTokensAreRead() {
        List<String> groups = IntStream.range(0, 1500)
                .mapToObj(i -> "unit-" + i + "-of-the-firm")
                .toList();
        List<String> all = new ArrayList<>(groups);
        all.add("team-last");
        String token = issuer.token("x").with("groups", all).text();

        assertThat(token.length()).isBetween(4097, tokens.maxLength());
        assertThat(identity(token).roles()).containsExactly("DEV");
    }

    @Test
    void anUnknownKeyAsksTheIssuerAtMostOnceInThirtySeconds() throws Exception {
        int before = issuer.keyReads();
        issuer.rotate();
        String rotated = issuer.token("x").text();
        assertThat(refused(rotated).reason()).isEqualTo("key");

        CompletionStage<?> asked = tokens.awaitKeys(rotated);
        assertThat(asked).isNotNull();
        asked.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(tokens.read(rotated)).isInstanceOf(Issued.class);
        assertThat(tokens.awaitKeys(rotated)).isNull();
        assertThat(issuer.keyReads()).isEqualTo(before + 1);

        issuer.rotate();
        String again = issuer.token("x").text();
        nanos.addAndGet(Duration.ofSeconds(29).toNanos());
        assertThat(tokens.awaitKeys(again)).isNull();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        CompletionStage<?> later = tokens.awaitKeys(again);
        assertThat(later).isNotNull();
        later.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(tokens.read(again)).isInstanceOf(Issued.class);
        assertThat(issuer.keyReads()).isEqualTo(before + 2);
    }

    @Test
    void aForeignTokenOrAForbiddenAlgorithmAsksNobody() {
        assertThat(tokens.awaitKeys(issuer.token("x")
                        .header("kid", "none")
                        .with("iss", "https://other.example")
                        .text()))
                .isNull();
        assertThat(tokens.awaitKeys(issuer.token("x").header("kid", "none").signedWithPublicKey()))
                .isNull();
    }

    @Test
    void aWithdrawnKeyIsRefusedAndKnownTokensAreReadAgain() throws Exception {
        String old = issuer.token("x").text();
        issuer.rotate();
        issuer.withdrawFormerKeys();
        tokens.awaitKeys(issuer.token("x").text()).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(refused(old).reason()).isEqualTo("key");
        assertThat(withdrawn).hasValue(1);
    }

    @Test
    void knownKeysGoOnWhileTheIssuerIsAwayAndAFindingTellsIt() throws Exception {
        String known = issuer.token("x").text();
        assertThat(tokens.findings()).isEmpty();
        issuer.away();
        issuer.rotate();
        tokens.awaitKeys(issuer.token("x").text()).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(tokens.read(known)).isInstanceOf(Issued.class);
        Finding finding = tokens.findings().get(0);
        assertThat(finding.kind()).isEqualTo(Finding.Kind.ISSUER_AWAY);
        assertThat(finding.subject()).isEqualTo(issuer.url());
        assertThat(finding.urgent()).isFalse();
        assertThat(finding.since()).isPositive();
        assertThat(finding.detail())
                .isEqualTo("GET " + issuer.url() + "/.well-known/openid-configuration failed: no connection");

        issuer.open();
        nanos.addAndGet(Duration.ofSeconds(30).toNanos());
        tokens.awaitKeys(issuer.token("x").text()).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(tokens.findings()).isEmpty();
    }

    @Test
    void aTokenForAnotherAudienceIsFound() {
        assertThat(tokens.findings()).isEmpty();

        tokens.report(tokens.read(issuer.token("x").with("aud", "other").text()));

        Finding finding = tokens.findings().get(0);
        assertThat(finding.kind()).isEqualTo(Finding.Kind.ISSUER_MISFIT);
        assertThat(finding.reason()).isEqualTo("AUDIENCE");
        assertThat(finding.detail())
                .isEqualTo("1 token for another audience, the last one with aud: other (expected: [cairn])");
    }

    @Test
    void aRuleThatMatchesNobodyIsFoundAfterAnHour() {
        SettableClock clock = new SettableClock();
        clock.setTo(Instant.now());
        try (OidcIssuer made = new OidcIssuer(
                settings(issuer.url(), "groups=platform -> ROLE_ADMIN", "groups=gone -> DEV"),
                timer,
                clock,
                nanos::get,
                new SimpleMeterRegistry())) {
            made.start();
            String token = issuer.token("x").with("groups", List.of("platform")).text();
            await().untilAsserted(() -> assertThat(made.read(token)).isInstanceOf(Issued.class));
            made.report(made.read(token));
            assertThat(made.findings()).isEmpty();

            clock.advance(Duration.ofHours(1));

            assertThat(made.findings()).extracting(Finding::reason).containsExactly("RULE");
            assertThat(made.findings().get(0).detail()).contains("the rule groups=gone -> DEV has matched no token");
        }
    }

    @Test
    void storedRulesMatchBesideThoseOfTheSettings() {
        String token =
                issuer.token("4711").with("groups", List.of("team-a", "chiefs")).text();
        tokens.storedRules(List.of(RoleRule.parse("groups=chiefs -> CHIEF"), RoleRule.parse("groups=none -> NONE")));

        Issued reading = (Issued) tokens.read(token);

        assertThat(reading.rules()).containsExactly("groups=team-* -> DEV", "groups=chiefs -> CHIEF");
        assertThat(reading.identity().roles()).containsExactly("DEV");
        assertThat(reading.identity().storedRules()).containsExactly("groups=chiefs -> CHIEF");
        tokens.storedRules(List.of());
        assertThat(identity(token).storedRules()).isEmpty();
    }

    @Test
    void aStoredRuleThatMatchesNobodyIsFoundAnHourAfterItWasStored() {
        SettableClock clock = new SettableClock();
        clock.setTo(Instant.now());
        try (OidcIssuer made =
                new OidcIssuer(settings(issuer.url()), timer, clock, nanos::get, new SimpleMeterRegistry())) {
            made.start();
            String token = issuer.token("x")
                    .with("groups", List.of("used"))
                    .ends(Duration.ofHours(4))
                    .text();
            await().untilAsserted(() -> assertThat(made.read(token)).isInstanceOf(Issued.class));
            made.report(made.read(token));
            clock.advance(Duration.ofHours(1));
            made.storedRules(List.of(
                    RoleRule.parse("groups=used -> DEV"),
                    RoleRule.parse("groups=unused -> DEV"),
                    RoleRule.parse("groups=deleted -> DEV")));
            made.report(made.read(token));

            clock.advance(Duration.ofMinutes(59));
            assertThat(made.findings()).isEmpty();
            made.storedRules(List.of(RoleRule.parse("groups=used -> DEV"), RoleRule.parse("groups=unused -> DEV")));
            clock.advance(Duration.ofMinutes(1));

            assertThat(made.findings())
                    .extracting(Finding::detail)
                    .containsExactly("the stored rule groups=unused -> DEV has matched no token since it is in force on"
                            + " this server");
        }
    }

    @Test
    void aClockThatDiffersIsFound() {
        try (OidcIssuer made = new OidcIssuer(
                settings(issuer.url()),
                timer,
                Clock.offset(Clock.systemUTC(), Duration.ofMinutes(10)),
                nanos::get,
                new SimpleMeterRegistry())) {
            made.start();

            await().untilAsserted(() ->
                    assertThat(made.findings()).extracting(Finding::reason).containsExactly("CLOCK"));
            assertThat(made.findings().get(0).urgent()).isTrue();
        }
    }

    @Test
    void anIssuerThatDescribesAnotherOneIsNotTrusted() {
        OidcIssuer other = new OidcIssuer(settings(issuer.url() + "/"), timer, Clock.systemUTC(), nanos::get, meters);
        other.start();

        await().untilAsserted(() -> assertThat(other.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.urgent()).isTrue();
            assertThat(finding.detail()).contains("it describes the issuer '" + issuer.url() + "'");
        }));
        other.close();
    }

    @Test
    void readingsAreCounted() {
        tokens.report(tokens.read(issuer.token("x").text()));
        tokens.report(tokens.read(issuer.token("x").with("aud", "other").text()));

        assertThat(meters.get("cairn.logins").tag("source", "oidc").counter().count())
                .isEqualTo(1);
        assertThat(meters.get("cairn.issuer.tokens.refused")
                        .tag("reason", "audience")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "DEV",
                "-> DEV",
                "groups -> DEV",
                "groups= -> DEV",
                "groups=* -> DEV",
                "groups=** -> DEV",
                "=x -> DEV",
                "groups=x ->",
                "iss=https://firm -> ROLE_ADMIN",
                "aud=cairn -> ROLE_ADMIN"
            })
    void aRuleWithoutAConditionIsRefused(String rule) {
        assertThatThrownBy(() -> settings("https://firm.example", rule))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: ");
    }

    @Test
    void rulesCompareWholeValues() {
        assertThat(RoleRule.parse("groups=CN=dev,OU=x -> A"))
                .isEqualTo(new RoleRule("groups", "CN=dev,OU=x", "A"))
                .hasToString("groups=CN=dev,OU=x -> A");
        assertThat(matches("g=dev -> A", "dev")).isTrue();
        assertThat(matches("g=dev -> A", "develop", "ndev", "DEV")).isFalse();
        assertThat(matches("g=*dev*x -> A", "a-dev-bx")).isTrue();
        assertThat(matches("g=*dev*x -> A", "a-dev-b")).isFalse();
        assertThat(RoleRule.parse("scope=b -> A").matches(new Claims(Map.of("scope", "a b c"))))
                .isTrue();
        assertThat(RoleRule.parse("https://f.x/groups=b -> A")
                        .matches(new Claims(Map.of("https://f.x/groups", List.of("a", "b")))))
                .isTrue();
    }

    private static boolean matches(String rule, String... values) {
        return RoleRule.parse(rule).matches(new Claims(Map.of("g", Arrays.asList(values))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://firm.example", "ftp://127.0.0.1", "firm.example", "https:/firm", "http://10.0.0.1"})
    void keysComeOverHttpsOrFromThisMachine(String url) {
        assertThatThrownBy(() -> settings(url)).hasMessageContaining("expected: https://");
    }

    @Test
    void symmetricAlgorithmsCannotBeAllowed() {
        assertThatThrownBy(() -> new IssuerSettings(
                        "https://firm.example",
                        Set.of("a"),
                        Set.of("RS256", "HS256"),
                        "sub",
                        Duration.ZERO,
                        Duration.ofHours(1),
                        null,
                        List.of()))
                .hasMessageContaining("algorithms: ");
    }
}
