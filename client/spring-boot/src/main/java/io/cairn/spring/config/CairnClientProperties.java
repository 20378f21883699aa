package io.cairn.spring.config;

import io.cairn.client.CairnClient;
import io.cairn.client.ClientBuilder;
import io.cairn.client.ClientCredentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Read before a context exists, so the settings must be in application.properties, the environment or the command line.
 *
 * @param servers {@code host:port} of each HTTP port; gRPC uses the port + 1000. By default
 *     {@code 127.0.0.1:8848}, or the list of the address servers
 * @param addressServers URLs that return the servers, such as {@code http://10.0.0.5:8848/nacos/serverlist}
 * @param namespace empty for the default
 * @param labels by which gray releases select this application, beside the labels of {@link Application}
 * @param username requires a password
 * @param oidc in place of a user
 * @param trust a PEM file with the trusted certificates; enables TLS, except for logins at addresses with
 *     {@code http://}
 * @param startTimeout the limit for the first connection; then the start continues with snapshots, or fails with
 *     {@code failFast}
 * @param snapshots a folder for one cluster only; by default below the user's home
 */
@ConfigurationProperties(CairnClientProperties.PREFIX)
public record CairnClientProperties(
        @DefaultValue List<String> servers,
        @DefaultValue List<String> addressServers,
        @DefaultValue("") String namespace,
        @DefaultValue Map<String, String> labels,
        @Nullable String username,
        @Nullable String password,
        @Nullable Oidc oidc,
        @Nullable Path trust,
        @DefaultValue("5s") Duration startTimeout,
        @DefaultValue("false") boolean failFast,
        @Nullable Path snapshots) {

    public static final String PREFIX = "cairn.client";

    public CairnClientProperties {
        addressServers = List.copyOf(addressServers);
        labels = Map.copyOf(labels);
        servers = servers.isEmpty() && addressServers.isEmpty() ? List.of("127.0.0.1:8848") : List.copyOf(servers);
        username = blankToNull(username);
        password = blankToNull(password);
        if ((username == null) != (password == null)) {
            String missing = username == null ? "username" : "password";
            throw new IllegalArgumentException(PREFIX + '.' + missing + ": none (expected: one, as there is a "
                    + (username == null ? "password" : "username") + ')');
        }
    }

    /**
     * An OpenID Connect issuer of tokens.
     *
     * @param tokenEndpoint empty for the issuer's own
     */
    public record Oidc(
            @DefaultValue("") String issuerUri,
            @DefaultValue("") String clientId,
            @DefaultValue("") String clientSecret,
            @DefaultValue("") String scope,
            @DefaultValue("") String tokenEndpoint) {

        public Oidc {
            if (issuerUri.isBlank() && tokenEndpoint.isBlank() || clientId.isBlank() || clientSecret.isBlank()) {
                throw new IllegalArgumentException(
                        PREFIX + ".oidc: incomplete (expected: issuer-uri, client-id and client-secret)");
            }
        }

        private ClientCredentials source() {
            return new ClientCredentials(
                    issuerUri, clientId, clientSecret, blankToNull(scope), blankToNull(tokenEndpoint));
        }

        @Override
        public String toString() {
            return clientId + " at " + issuerUri;
        }
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    public CairnClient start(Application application) {
        ClientBuilder builder = CairnClient.builder()
                .servers(servers.toArray(String[]::new))
                .addressServers(addressServers.toArray(String[]::new))
                .namespace(namespace)
                .application(application.name());
        application.labels().forEach(builder::label);
        labels.forEach(builder::label);
        if (username != null && password != null) {
            builder.credentials(username, password);
        } else if (oidc != null) {
            builder.tokens(oidc.source());
        }
        if (trust != null) {
            builder.tlsTrusting(trust);
        }
        if (snapshots != null) {
            builder.snapshots(snapshots);
        }
        return (failFast ? builder.failFast(startTimeout) : builder.startWithoutServer(startTimeout)).build();
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return PREFIX + "[servers=" + servers + ", addressServers=" + addressServers + ", namespace=" + namespace
                + ", labels=" + labels + ", username=" + username + ", oidc=" + oidc + ']';
    }
}
