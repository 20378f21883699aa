package io.cairn.client;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import io.cairn.client.internal.AddressServers;
import io.cairn.client.internal.Credentials;
import io.cairn.client.internal.Login;
import io.cairn.client.internal.Setup;
import io.cairn.client.internal.SnapshotFolder;
import io.cairn.client.internal.Timings;
import io.cairn.client.internal.Trust;
import io.cairn.client.naming.EmptyLists;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client. Setters throw {@link IllegalArgumentException} for an invalid value. Not thread-safe; may build
 * several clients.
 */
public final class ClientBuilder {

    private static final int MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

    private final List<String> servers = new ArrayList<>();
    private final List<URI> addressServers = new ArrayList<>();
    private final Map<String, String> labels = new LinkedHashMap<>();
    private int grpcPortOffset = ServerAddress.DEFAULT_GRPC_PORT_OFFSET;
    private String contextPath = "/nacos";
    private Namespace namespace = Namespace.DEFAULT;
    private String name = "cairn-client";
    private @Nullable Credentials credentials;
    private @Nullable Supplier<String> tokens;
    private @Nullable SSLContext tls;
    private boolean keepsSnapshots = true;
    private @Nullable Path snapshots;

    private Duration connectTimeout = Duration.ofSeconds(3);
    private Duration requestTimeout = Duration.ofSeconds(5);
    private Duration startTimeout = Duration.ofSeconds(10);
    private Duration healthCheck = Duration.ofSeconds(5);
    private boolean failFast = true;
    private EmptyLists emptyLists = EmptyLists.HOLD_AFTER_RECONNECT;
    private Duration holdEmptyLists = Duration.ofSeconds(15);

    ClientBuilder() {
        labels.put("AppName", "unknown");
    }

    /**
     * Sets the servers by their HTTP addresses, {@code host:port}; one text may contain several, separated by commas. The
     * client connects to the port + 1000 and logs in at the HTTP port. Logins use TLS when the connections do ({@link #tls},
     * {@link #tlsTrusting}) or the address begins with {@code https://}. With {@code http://} they never use TLS: the
     * password is sent as plain text.
     */
    public ClientBuilder servers(String... addresses) {
        for (String address : addresses) {
            for (String one : address.split(",")) {
                if (!one.isBlank()) {
                    servers.add(one.strip());
                }
            }
        }
        return this;
    }

    /**
     * Sets URLs that return the addresses of the servers, one per line: {@code /nacos/serverlist} of any node of a cluster
     * (the default path), or a Nacos address server. The client uses the first URL that returns an address: before the first connection, every 30 s, and when it cannot connect. Until then it uses {@link #servers}.
     *
     * @throws IllegalArgumentException when a text is not an http or https URL
     */
    public ClientBuilder addressServers(String... urls) {
        for (String text : urls) {
            for (String one : text.split(",")) {
                if (!one.isBlank()) {
                    addressServers.add(AddressServers.parse(one));
                }
            }
        }
        return this;
    }

    /** Sets the distance from the HTTP port to the gRPC port; 1000 by default. */
    public ClientBuilder grpcPortOffset(int offset) {
        grpcPortOffset = offset;
        return this;
    }

    /** Sets the path prefix of the HTTP API, used for logins; {@code /nacos} by default. */
    public ClientBuilder contextPath(String path) {
        contextPath = path.equals("/") ? "" : path;
        return this;
    }

    /** By default the public namespace. */
    public ClientBuilder namespace(String id) {
        namespace = Namespace.ofNullable(id);
        return this;
    }

    /** Sets the prefix of the thread names; {@code cairn-client} by default. Further clients append a number. */
    public ClientBuilder name(String threads) {
        name = threads;
        return this;
    }

    /** Sets the application name, which servers list with the connection. */
    public ClientBuilder application(String applicationName) {
        labels.put("AppName", applicationName);
        return this;
    }

    /** Adds a label to this client. Gray releases select their receivers by labels. */
    public ClientBuilder label(String labelName, String value) {
        labels.put(labelName, value);
        return this;
    }

    /** For servers that require a login. */
    public ClientBuilder credentials(String username, String password) {
        credentials = new Credentials(username, password);
        tokens = null;
        return this;
    }

    /**
     * Sets a source of tokens of an OpenID Connect issuer, or of API tokens, in place of a user. The client calls it on a thread of
     * its own before the first request, every 30 s, and after a rejection. It should keep a token that is valid for a minute;
     * {@link ClientCredentials} does.
     */
    public ClientBuilder tokens(Supplier<String> source) {
        tokens = source;
        credentials = null;
        return this;
    }

    /**
     * Connects over TLS: the context's trust store verifies the servers, and its key store may hold the client's
     * certificate. Server certificates must contain the hosts given to {@link #servers}.
     */
    public ClientBuilder tls(SSLContext context) {
        tls = context;
        return this;
    }

    /**
     * Connects over TLS and trusts only the certificates in this PEM file; otherwise like {@link #tls}.
     *
     * @throws IllegalArgumentException when the file cannot be read or contains no certificate
     */
    public ClientBuilder tlsTrusting(Path certificates) {
        tls = Trust.in(certificates);
        return this;
    }

    /**
     * Sets the folder for snapshots: the last responses, which the client uses while it cannot reach a server. The default
     * is a folder below {@code ~/.cairn/snapshots} named after the servers. Clients of one cluster may share a folder;
     * clusters must not.
     */
    public ClientBuilder snapshots(Path folder) {
        snapshots = folder;
        keepsSnapshots = true;
        return this;
    }

    /** Disables snapshots; the client stores nothing on disk. */
    public ClientBuilder noSnapshots() {
        keepsSnapshots = false;
        return this;
    }

    /** Sets the timeout of each step of connecting to one server; 3 s by default. */
    public ClientBuilder connectTimeout(Duration timeout) {
        connectTimeout = positive("connect timeout", timeout);
        return this;
    }

    /** Sets the timeout of an operation, including all attempts and reconnects; 5 s by default. */
    public ClientBuilder requestTimeout(Duration timeout) {
        requestTimeout = positive("request timeout", timeout);
        return this;
    }

    /**
     * Sets the time without traffic after which the client checks the connection; 5 s by default. Closes the connection
     * after two checks without a response.
     */
    public ClientBuilder healthCheck(Duration silence) {
        healthCheck = positive("health check", silence);
        return this;
    }

    /**
     * Sets the treatment of an empty list for a service that had instances, and how long the former instances are kept;
     * {@link EmptyLists#HOLD_AFTER_RECONNECT} and 15 s by default.
     */
    public ClientBuilder emptyLists(EmptyLists policy, Duration hold) {
        emptyLists = policy;
        holdEmptyLists = notNegative("hold of empty lists", hold);
        return this;
    }

    /** Waits for the first connection up to this timeout, then fails with the reasons. This is the default, with 10 s. */
    public ClientBuilder failFast(Duration timeout) {
        startTimeout = positive("start timeout", timeout);
        failFast = true;
        return this;
    }

    /**
     * Waits for the first connection up to this timeout, then starts without it: the client uses snapshots and keeps trying
     * to connect. The wait ends early when every server has failed.
     */
    public ClientBuilder startWithoutServer(Duration timeout) {
        startTimeout = notNegative("start timeout", timeout);
        failFast = false;
        return this;
    }

    /**
     * Starts the client; waits as described for {@link #failFast} and {@link #startWithoutServer}.
     *
     * @throws CairnException {@code UNAVAILABLE} when the client cannot connect; the message gives for each address the
     *     phase that the attempt reached and what to check
     * @throws IllegalArgumentException when a setting is invalid; the message names it
     */
    public CairnClient build() {
        return CairnClient.start(this);
    }

    private static Duration positive(String what, Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException(what + ": " + time + " (expected: more than 0)");
        }
        return time;
    }

    private static Duration notNegative(String what, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(what + ": " + time + " (expected: 0 or more)");
        }
        return time;
    }

    Namespace namespace() {
        return namespace;
    }

    String name() {
        return name;
    }

    EmptyLists emptyLists() {
        return emptyLists;
    }

    Duration holdEmptyLists() {
        return holdEmptyLists;
    }

    boolean failsFast() {
        return failFast;
    }

    Duration startTimeout() {
        return startTimeout;
    }

    List<ServerAddress> addresses() {
        if (servers.isEmpty() && addressServers.isEmpty()) {
            throw new IllegalArgumentException(
                    "servers: none (expected: at least one host:port, or an address server)");
        }
        return servers.stream().distinct().map(reader()).toList();
    }

    private Function<String, ServerAddress> reader() {
        int offset = grpcPortOffset;
        boolean secure = tls != null;
        return server -> ServerAddress.parse(server, offset, secure);
    }

    @Nullable
    AddressServers addressServers() {
        SSLContext context = tls;
        return addressServers.isEmpty()
                ? null
                : new AddressServers(
                        addressServers.stream().distinct().toList(),
                        connectTimeout,
                        context == null ? null : context.getSocketFactory(),
                        reader());
    }

    Timings timings() {
        return new Timings(requestTimeout, healthCheck);
    }

    Setup setup() {
        Map<String, String> all = new LinkedHashMap<>(labels);
        all.put("source", "sdk");
        // A Nacos server accepts registrations only from clients with this label.
        all.put("module", "naming");
        SSLContext context = tls;
        return new Setup(
                namespace, all, context == null ? null : context.getSocketFactory(), connectTimeout, MAX_MESSAGE_BYTES);
    }

    @Nullable
    Login login() {
        Supplier<String> given = tokens;
        if (given != null) {
            return new Login(given);
        }
        Credentials who = credentials;
        SSLContext context = tls;
        return who == null
                ? null
                : new Login(who, contextPath, connectTimeout, context == null ? null : context.getSocketFactory());
    }

    @Nullable
    SnapshotFolder snapshotFolder(Executor writer) {
        return keepsSnapshots ? new SnapshotFolder(snapshotPath(), writer) : null;
    }

    Path snapshotPath() {
        Path given = snapshots;
        return given != null
                ? given
                : Path.of(System.getProperty("user.home", "."), ".cairn", "snapshots")
                        .resolve(
                                addressServers.isEmpty()
                                        ? SnapshotFolder.nameOf(addresses())
                                        : SnapshotFolder.nameOfUrls(addressServers));
    }

    @Override
    public String toString() {
        return "servers " + servers + (addressServers.isEmpty() ? "" : ", address servers " + addressServers)
                + ", namespace " + namespace;
    }
}
