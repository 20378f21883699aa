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
 * How a client is to be made. A time that makes no sense is refused at once with {@link IllegalArgumentException}. Not
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
     * Where the servers are: {@code host:port} of their HTTP ports, as for any Nacos client, several also in one text
     * with commas. The client connects to the port + 1000. Logging in goes to the HTTP port itself: over TLS when
     * connections do ({@link #tls}, {@link #tlsTrusting}) or the address begins with {@code https://}; with
     * {@code http://} in front it never does, and sends the password as it is.
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
     * URLs that say where the servers are, a line for each, as {@code http://10.0.0.5:8848/nacos/serverlist} of any node of a
     * cluster does, or an address server of Nacos; without a path it is that one. The first that names any counts; it is asked
     * before the first connection, then every 30 seconds and when no server can be connected to. With {@link #servers} as well,
     * those are used until there is an answer.
     *
     * @throws IllegalArgumentException when one of them is no http or https URL
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

    /** How far the port for connections is above that for HTTP; 1000 by default. */
    public ClientBuilder grpcPortOffset(int offset) {
        grpcPortOffset = offset;
        return this;
    }

    /** What the paths of the HTTP API begin with, for logging in; {@code /nacos} by default. */
    public ClientBuilder contextPath(String path) {
        contextPath = path.equals("/") ? "" : path;
        return this;
    }

    /** The namespace; that which exists without being created by default. */
    public ClientBuilder namespace(String id) {
        namespace = Namespace.ofNullable(id);
        return this;
    }

    /** What the client calls its threads by; {@code cairn-client} by default. A second client's have a number added. */
    public ClientBuilder name(String threads) {
        name = threads;
        return this;
    }

    /** The name of the application, which servers show beside its connection. */
    public ClientBuilder application(String applicationName) {
        labels.put("AppName", applicationName);
        return this;
    }

    /** Something else to tell the servers about this client, by which they may choose who gets a gray release. */
    public ClientBuilder label(String labelName, String value) {
        labels.put(labelName, value);
        return this;
    }

    /** Who the client is, where servers ask. */
    public ClientBuilder credentials(String username, String password) {
        credentials = new Credentials(username, password);
        return this;
    }

    /**
     * Connects over TLS, trusting whom this context trusts; it may also hold the client's own certificate. The certificates
     * of the servers must name the hosts as {@link #servers} does.
     */
    public ClientBuilder tls(SSLContext context) {
        tls = context;
        return this;
    }

    /**
     * Connects over TLS, trusting the certificates in that PEM file and no others; otherwise as {@link #tls}.
     *
     * @throws IllegalArgumentException when the file cannot be read, or holds no certificate
     */
    public ClientBuilder tlsTrusting(Path certificates) {
        tls = Trust.in(certificates);
        return this;
    }

    /**
     * Where the last answers are kept for times without a server. By default a folder below {@code ~/.cairn/snapshots} that
     * is named after the addresses of the servers, so that what one cluster has said is never taken for another's. A folder
     * that is given here is used as it is: give each cluster its own. Clients of one cluster may share it.
     */
    public ClientBuilder snapshots(Path folder) {
        snapshots = folder;
        keepsSnapshots = true;
        return this;
    }

    /** Keeps nothing on disk. */
    public ClientBuilder noSnapshots() {
        keepsSnapshots = false;
        return this;
    }

    /** How long each step of connecting to one server may take; 3 s by default. */
    public ClientBuilder connectTimeout(Duration timeout) {
        connectTimeout = positive("connect timeout", timeout);
        return this;
    }

    /** How long an operation may take, all attempts and reconnecting included; 5 s by default. */
    public ClientBuilder requestTimeout(Duration timeout) {
        requestTimeout = positive("request timeout", timeout);
        return this;
    }

    /** After how long a silent connection is asked for a sign of life; 5 s by default. Twice no answer ends it. */
    public ClientBuilder healthCheck(Duration silence) {
        healthCheck = positive("health check", silence);
        return this;
    }

    /**
     * What to do when a service that had instances is said to have none, and for how long;
     * {@link EmptyLists#HOLD_AFTER_RECONNECT} and 15 s by default.
     */
    public ClientBuilder emptyLists(EmptyLists policy, Duration hold) {
        emptyLists = policy;
        holdEmptyLists = notNegative("hold of empty lists", hold);
        return this;
    }

    /** Waits that long for the first connection, then fails with the reasons. The default, with 10 s. */
    public ClientBuilder failFast(Duration timeout) {
        startTimeout = positive("start timeout", timeout);
        failFast = true;
        return this;
    }

    /**
     * Waits that long for the first connection, then starts without: what was kept on disk is used, and the client goes
     * on trying. As soon as every server was tried once in vain it does not wait any longer.
     */
    public ClientBuilder startWithoutServer(Duration timeout) {
        startTimeout = notNegative("start timeout", timeout);
        failFast = false;
        return this;
    }

    /**
     * Starts the client; waits as {@link #failFast} or {@link #startWithoutServer} say.
     *
     * @throws CairnException {@code UNAVAILABLE} when no server can be used: with each address, how far the attempt got,
     *     and what to look at
     * @throws IllegalArgumentException when a setting makes no sense; the message names it
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
        // Only with this one a Nacos server takes registrations; configurations it serves to anyone.
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
