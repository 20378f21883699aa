package io.cairn.server.auth.issuer;

import io.cairn.server.auth.RoleRule;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An issuer and what its tokens must have.
 *
 * @param issuer its URL, exactly as in the claim {@code iss}
 * @param audiences a token must name one of them
 * @param algorithms names of asymmetric algorithms, such as {@code RS256}
 * @param usernameClaim shown for people beside the subject; decides nothing
 * @param clockSkew by which the clocks of issuer and server may differ
 * @param keyLifetime after which the keys are read again
 * @param trusted PEM file of authorities for the issuer's certificate; null for the authorities of the Java runtime
 * @param rules as {@code claim=value -> role}
 */
public record IssuerSettings(
        String issuer,
        Set<String> audiences,
        Set<String> algorithms,
        String usernameClaim,
        Duration clockSkew,
        Duration keyLifetime,
        @Nullable Path trusted,
        List<String> rules) {

    /** Every algorithm whose keys an issuer can publish and that the server can verify. */
    public static final List<String> ALGORITHMS =
            List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

    /** @throws IllegalArgumentException with the fault */
    public IssuerSettings {
        audiences = Set.copyOf(audiences);
        algorithms = Set.copyOf(algorithms);
        rules = List.copyOf(rules);
        try {
            checkUrl(issuer);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("issuer: " + e.getMessage(), e);
        }
        if (audiences.isEmpty()) {
            throw new IllegalArgumentException(
                    "audiences: none (expected: the audience in the tokens for this server, such as cairn)");
        }
        if (algorithms.isEmpty() || !ALGORITHMS.containsAll(algorithms)) {
            throw new IllegalArgumentException("algorithms: " + algorithms + " (expected: some of " + ALGORITHMS + ")");
        }
        try {
            rules.forEach(RoleRule::parse);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("rules: " + e.getMessage(), e);
        }
    }

    /** The keys of an issuer prove administrators, so they must not come over a connection that others can change. */
    static URI checkUrl(String text) {
        URI url;
        try {
            url = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is no URL (expected: https://...)", e);
        }
        boolean isSafe = "https".equals(url.getScheme()) || "http".equals(url.getScheme()) && isLoopback(url.getHost());
        if (!isSafe || url.getHost() == null) {
            throw new IllegalArgumentException("'" + text
                    + "' (expected: https://...; http:// only for an address of this machine, such as 127.0.0.1)");
        }
        return url;
    }

    private static boolean isLoopback(@Nullable String host) {
        if (host == null || !(host.equals("localhost") || host.matches("127\\.[0-9.]+|\\[[0-9a-fA-F:]+]"))) {
            return false;
        }
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
