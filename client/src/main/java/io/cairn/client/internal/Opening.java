package io.cairn.client.internal;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.ConnectionSetupRequest;
import io.cairn.api.wire.connection.ServerCheckAnswer;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.Phase;
import io.cairn.client.connection.ServerAddress;
import io.grpc.ManagedChannel;
import io.grpc.okhttp.OkHttpChannelBuilder;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Opens a connection in steps, so that a failure names its step. Blocks; used on one thread. */
final class Opening {

    private static final String FUZZY_WATCH = "fuzzyWatch";
    private static final String VERSION = "Cairn-Java-Client:v0.1.0";

    private final Setup setup;
    private final Threads threads;
    private final Connection.Events events;
    private volatile @Nullable Connection underway;

    Opening(Setup setup, Threads threads, Connection.Events events) {
        this.setup = setup;
        this.threads = threads;
        this.events = events;
    }

    /** Tries each IP address of the server. */
    Connection open(ServerAddress server) throws InterruptedException {
        InetAddress[] ips;
        try {
            ips = InetAddress.getAllByName(server.host());
        } catch (UnknownHostException e) {
            throw new ConnectFailure(server, Phase.DNS, "the host name is not known", e);
        }
        ConnectFailure last = null;
        for (InetAddress ip : ips) {
            try {
                return open(server, ip);
            } catch (ConnectFailure e) {
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        throw last != null ? last : new ConnectFailure(server, Phase.DNS, "the host name has no address", null);
    }

    private Connection open(ServerAddress server, InetAddress ip) throws InterruptedException {
        OpenSockets sockets = new OpenSockets(setup.timeout());
        Connection connection = new Connection(server, channel(server, ip, sockets), sockets, events);
        underway = connection;
        boolean usable = false;
        try {
            boolean negotiates = check(connection, sockets);
            connection.establish(introduce(connection, negotiates));
            threads.restoreNames();
            usable = true;
            return connection;
        } finally {
            underway = null;
            if (!usable) {
                connection.close();
            }
        }
    }

    void giveUp() {
        Connection now = underway;
        if (now != null) {
            now.close();
        }
    }

    private ManagedChannel channel(ServerAddress server, InetAddress ip, OpenSockets sockets) {
        // The authority is the name that TLS verifies.
        OkHttpChannelBuilder builder = OkHttpChannelBuilder.forTarget("dns:///" + text(ip) + ':' + server.grpcPort())
                .overrideAuthority(server.hostText() + ':' + server.grpcPort())
                .socketFactory(sockets)
                .transportExecutor(threads.transport())
                .executor(Runnable::run)
                .offloadExecutor(threads.transport())
                .scheduledExecutorService(threads.timer())
                .maxInboundMessageSize(setup.maxMessageBytes())
                .proxyDetector(address -> null)
                .disableServiceConfigLookUp()
                .disableRetry();
        SSLSocketFactory tls = setup.tls();
        if (tls == null) {
            builder.usePlaintext();
        } else {
            builder.useTransportSecurity().sslSocketFactory(tls);
        }
        return builder.build();
    }

    /** Includes the scheme, because the application may set a default scheme. */
    private static String text(InetAddress ip) {
        String text = ip.getHostAddress();
        return ip instanceof Inet6Address ? '[' + text.replace("%", "%25") + ']' : text;
    }

    private boolean check(Connection connection, OpenSockets sockets) throws InterruptedException {
        Payload request = internal(MessageCatalog.SERVER_CHECK_REQUEST);
        Payload answer;
        try {
            answer = await(connection.request(request, setup.timeout()));
        } catch (ExecutionException e) {
            throw unanswered(connection.address(), sockets, causeOf(e));
        } catch (TimeoutException e) {
            throw unanswered(connection.address(), sockets, e);
        }
        if (!answer.type().equals(MessageCatalog.SERVER_CHECK_RESPONSE)) {
            AnswerFields said = JsonInput.read(answer, AnswerFields::read);
            throw new ConnectFailure(connection.address(), Phase.SETUP, said.errorCode() + ": " + said.message(), null);
        }
        ServerCheckAnswer said = JsonInput.read(answer, ServerCheckAnswer::read);
        if (!said.answer().succeeded()) {
            throw new ConnectFailure(
                    connection.address(),
                    Phase.SETUP,
                    said.answer().errorCode() + ": " + said.answer().message(),
                    null);
        }
        return said.negotiatesAbilities();
    }

    private static Throwable causeOf(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }

    private ConnectFailure unanswered(ServerAddress server, OpenSockets sockets, Throwable why) {
        Throwable socketFailure = sockets.failure();
        if (!sockets.connected()) {
            Throwable cause = socketFailure == null ? why : socketFailure;
            return new ConnectFailure(server, Phase.TCP, words(cause), cause);
        }
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException || setup.tls() != null && cause instanceof java.io.IOException) {
                return new ConnectFailure(server, Phase.TLS, words(cause), why);
            }
        }
        return new ConnectFailure(server, Phase.HTTP2, words(why), why);
    }

    private static String words(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private Set<String> introduce(Connection connection, boolean negotiates) throws InterruptedException {
        ConnectionSetupRequest hello =
                new ConnectionSetupRequest(VERSION, setup.namespace().id(), setup.labels(), negotiates);
        connection.startStream(
                Payload.of(MessageCatalog.CONNECTION_SETUP_REQUEST, hello.toJson(Map.of(FUZZY_WATCH, true))));
        Set<String> offered = Set.of();
        if (negotiates) {
            try {
                offered = await(connection.setupAck());
            } catch (ExecutionException | TimeoutException | CancellationException e) {
                throw refused(connection, "the server has not acknowledged it", e);
            }
        }
        awaitRegistered(connection);
        return offered;
    }

    /** For servers that do not acknowledge the setup. */
    private void awaitRegistered(Connection connection) throws InterruptedException {
        long deadline = System.nanoTime() + setup.timeout().toNanos();
        while (true) {
            AnswerFields said;
            try {
                said = JsonInput.read(
                        await(connection.request(internal(MessageCatalog.HEALTH_CHECK_REQUEST), setup.timeout())),
                        AnswerFields::read);
            } catch (ExecutionException | TimeoutException e) {
                throw refused(connection, "the server has ended the connection", e);
            }
            if (said.succeeded()) {
                return;
            }
            if (System.nanoTime() > deadline
                    || connection.ended()
                    || connection.streamEnd().isDone()) {
                throw refused(connection, said.errorCode() + ": " + said.message(), null);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static ConnectFailure refused(Connection connection, String otherwise, @Nullable Exception cause) {
        String why = connection.streamEnd().getNow(otherwise);
        return new ConnectFailure(connection.address(), Phase.SETUP, why, cause);
    }

    private static Payload internal(String type) {
        return Payload.of(type, new JsonOutput(32).text("module", "internal").toBytes());
    }

    private <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        Duration patience = setup.timeout().plusSeconds(1);
        return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }
}
