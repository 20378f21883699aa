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
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client. An invalid duration is rejected at once with {@link IllegalArgumentException}. Not
 * thread-safe; may be used for several clients.
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
    private @Nullable SSLContext tls;
    private boolean keepsSnapshots = true;
    /** Null for the default one. */
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
     * The addresses of the servers: {@code host:port} of their HTTP ports, as for any Nacos client; one text may hold
     * several with commas. The client connects to the port + 1000. Logins go to the HTTP port itself. They use TLS when
     * the connections do ({@link #tls}, {@link #tlsTrusting}) or the address begins with {@code https://}. With
     * {@code http://} in front they never use TLS, and the password is sent as plain text.
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
     * URLs that list the addresses of the servers, one per line, such as {@code http://10.0.0.5:8848/nacos/serverlist}
     * of any node of a cluster, or a Nacos address server; that path is the default. The first URL that returns an
     * address counts. It is read before the first connection, then every 30 seconds and when no server can be connected
     * to. With {@link #servers} as well, those are used until a URL has answered.
     *
     * @throws IllegalArgumentException when one of them is not an http or https URL
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

    /** The distance from the HTTP port to the port for connections; 1000 by default. */
    public ClientBuilder grpcPortOffset(int offset) {
        grpcPortOffset = offset;
        return this;
    }

    /** The prefix of the paths of the HTTP API, for logins; {@code /nacos} by default. */
    public ClientBuilder contextPath(String path) {
        contextPath = path.equals("/") ? "" : path;
        return this;
    }

    /** The namespace; by default the one that always exists. */
    public ClientBuilder namespace(String id) {
        namespace = Namespace.ofNullable(id);
        return this;
    }

    /** The prefix of the client's thread names; {@code cairn-client} by default. A second client adds a number. */
    public ClientBuilder name(String threads) {
        name = threads;
        return this;
    }

    /** The name of the application, which servers show with its connection. */
    public ClientBuilder application(String applicationName) {
        labels.put("AppName", applicationName);
        return this;
    }

    /** A further label of this client. Servers can select the receivers of a gray release by it. */
    public ClientBuilder label(String labelName, String value) {
        labels.put(labelName, value);
        return this;
    }

    /** The user of the client, for servers that require a login. */
    public ClientBuilder credentials(String username, String password) {
        credentials = new Credentials(username, password);
        return this;
    }

    /**
     * Connects over TLS and trusts the servers that this context trusts. The context may also hold the client's own
     * certificate. The certificates of the servers must contain the hosts given to {@link #servers}.
     */
    public ClientBuilder tls(SSLContext context) {
        tls = context;
        return this;
    }

    /**
     * Connects over TLS and trusts only the certificates in that PEM file; otherwise like {@link #tls}.
     *
     * @throws IllegalArgumentException when the file cannot be read, or holds no certificate
     */
    public ClientBuilder tlsTrusting(Path certificates) {
        tls = Trust.in(certificates);
        return this;
    }

    /**
     * The folder for the last responses, which are used while no server can be reached. By default a folder below
     * {@code ~/.cairn/snapshots} named after the addresses of the servers, so that the data of two clusters are never
     * mixed. A folder given here is used unchanged: give each cluster its own. Clients of one cluster may share it.
     */
    public ClientBuilder snapshots(Path folder) {
        snapshots = folder;
        keepsSnapshots = true;
        return this;
    }

    /** Stores nothing on disk. */
    public ClientBuilder noSnapshots() {
        keepsSnapshots = false;
        return this;
    }

    /** The timeout of each step of connecting to one server; 3 s by default. */
    public ClientBuilder connectTimeout(Duration timeout) {
        connectTimeout = positive("connect timeout", timeout);
        return this;
    }

    /** The timeout of an operation, including all attempts and reconnects; 5 s by default. */
    public ClientBuilder requestTimeout(Duration timeout) {
        requestTimeout = positive("request timeout", timeout);
        return this;
    }

    /**
     * The time without traffic after which a connection is checked; 5 s by default. Two checks without a response close
     * it.
     */
    public ClientBuilder healthCheck(Duration silence) {
        healthCheck = positive("health check", silence);
        return this;
    }

    /**
     * The treatment of a service that had instances and is now reported with none, and for how long;
     * {@link EmptyLists#HOLD_AFTER_RECONNECT} and 15 s by default.
     */
    public ClientBuilder emptyLists(EmptyLists policy, Duration hold) {
        emptyLists = policy;
        holdEmptyLists = notNegative("hold of empty lists", hold);
        return this;
    }

    /** Waits at most that long for the first connection, then fails with the reasons. The default, with 10 s. */
    public ClientBuilder failFast(Duration timeout) {
        startTimeout = positive("start timeout", timeout);
        failFast = true;
        return this;
    }

    /**
     * Waits at most that long for the first connection, then starts without one: the client uses the data on disk and
     * keeps trying to connect. It stops waiting once every server was tried without success.
     */
    public ClientBuilder startWithoutServer(Duration timeout) {
        startTimeout = notNegative("start timeout", timeout);
        failFast = false;
        return this;
    }

    /**
     * Starts the client; waits as described for {@link #failFast} and {@link #startWithoutServer}.
     *
     * @throws CairnException {@code UNAVAILABLE} when no server can be used. The message gives for each address the
     * phase
     * that the attempt reached and what to check
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
        // A Nacos server accepts registrations only with this label; it serves configurations without it.
        all.put("module", "naming");
        SSLContext context = tls;
        return new Setup(
                namespace, all, context == null ? null : context.getSocketFactory(), connectTimeout, MAX_MESSAGE_BYTES);
    }

    @Nullable
    Login login() {
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
