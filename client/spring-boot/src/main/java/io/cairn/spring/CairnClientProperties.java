package io.cairn.spring;

import io.cairn.client.CairnClient;
import io.cairn.client.ClientBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How an application reaches Cairn, {@code cairn.client.*}. Needed before there is a context, so it can only be set where
 * Boot looks first: application.properties, the environment, the command line.
 *
 * @param servers {@code host:port} of each server's HTTP port; gRPC is 1000 above. Without it {@code 127.0.0.1:8848}, or what
 *     the address servers name
 * @param addressServers URLs that say where the servers are, such as {@code http://10.0.0.5:8848/nacos/serverlist}
 * @param namespace the id of the namespace of all names that do not say theirs; empty for the default one
 * @param username for servers with authentication; with a password or not at all
 * @param trust a file with the certificates, as PEM, of those that sign the servers' certificates; with it connections are
 *     encrypted, and so is the login where the address does not say {@code http://}
 * @param startTimeout how long a start waits for a server; after that it goes on with snapshots, or fails
 * @param failFast whether a start without a server fails, even where there are snapshots
 * @param snapshots the folder of the snapshots, of these servers alone; without it one below the user's home
 */
@ConfigurationProperties(CairnClientProperties.PREFIX)
public record CairnClientProperties(
        @DefaultValue List<String> servers,
        @DefaultValue List<String> addressServers,
        @DefaultValue("") String namespace,
        @Nullable String username,
        @Nullable String password,
        @Nullable Path trust,
        @DefaultValue("5s") Duration startTimeout,
        @DefaultValue("false") boolean failFast,
        @Nullable Path snapshots) {

    public static final String PREFIX = "cairn.client";

    public CairnClientProperties {
        addressServers = List.copyOf(addressServers);
        servers = servers.isEmpty() && addressServers.isEmpty() ? List.of("127.0.0.1:8848") : List.copyOf(servers);
        username = blankToNull(username);
        password = blankToNull(password);
        if ((username == null) != (password == null)) {
            String missing = username == null ? "username" : "password";
            throw new IllegalArgumentException(PREFIX + '.' + missing + ": none (expected: one, as there is a "
                    + (username == null ? "password" : "username") + ')');
        }
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    /**
     * Starts a client of these settings.
     *
     * @param application what servers are told of who connects
     */
    public CairnClient start(String application) {
        ClientBuilder builder = CairnClient.builder()
                .servers(servers.toArray(String[]::new))
                .addressServers(addressServers.toArray(String[]::new))
                .namespace(namespace)
                .application(application);
        if (username != null && password != null) {
            builder.credentials(username, password);
        }
        if (trust != null) {
            builder.tlsTrusting(trust);
        }
        if (snapshots != null) {
            builder.snapshots(snapshots);
        }
        return (failFast ? builder.failFast(startTimeout) : builder.startWithoutServer(startTimeout)).build();
    }

    /** Without the password. */
    @Override
    public String toString() {
        return PREFIX + "[servers=" + servers + ", addressServers=" + addressServers + ", namespace=" + namespace
                + ", username=" + username + ']';
    }
}
