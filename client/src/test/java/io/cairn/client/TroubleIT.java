package io.cairn.client;

import static io.cairn.client.FakeServer.clientOf;
import static io.cairn.client.FakeServer.content;
import static io.cairn.client.FakeServer.listening;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.connection.Origin;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations and connections when a server, a key or the caller causes an error. */
class TroubleIT {

    /** Its port is nobody else's while a test runs, and nobody listens there. */
    private final Socket taken = new Socket();

    @AfterEach
    void release() throws IOException {
        taken.close();
    }

    private CairnClient withoutServer(Duration requestTimeout) throws IOException {
        taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return clientOf("127.0.0.1:" + taken.getLocalPort())
                .requestTimeout(requestTimeout)
                .startWithoutServer(PATIENCE)
                .build();
    }

    @Test
    void readingWithAClosedClientFails() throws Exception {
        CairnClient client = withoutServer(PATIENCE);
        ConfigKey key = client.configs().key("a");
        client.close();
        CompletableFuture<Optional<ConfigContent>> read = client.configs().getAsync(key);
        assertThatThrownBy(() -> read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(CairnException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> client.configs().get(key)).hasMessageContaining("The client is closed");
        assertThatThrownBy(() -> client.naming().instances(client.naming().service("s")))
                .hasMessageContaining("The client is closed");
    }

    @Test
    void refusesToBlockTheTimeoutThread() throws Exception {
        try (CairnClient client = withoutServer(Duration.ofMillis(300))) {
            ConfigKey key = client.configs().key("a");
            CompletableFuture<String> said = client.configs().getAsync(key).handle((content, failure) -> {
                try {
                    return client.configs().get(key).toString();
                } catch (IllegalStateException e) {
                    return e.getMessage();
                }
            });
            assertThat(said.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains("use the Async methods");
        }
    }

    @Test
    void reportsAnUnreadableResponse() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> Payload.of(
                            MessageCatalog.CONFIG_QUERY_RESPONSE,
                            new JsonOutput(32).text("errorCode", "x").toBytes()));
            CompletableFuture<?> read =
                    client.configs().getAsync(client.configs().key("a"));
            assertThatThrownBy(() -> read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(CairnException.class)
                    .hasMessageContaining("errorCode");
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> Payload.of(
                            MessageCatalog.ERROR_RESPONSE,
                            new JsonOutput(32).text("errorCode", "x").toBytes()));
            CompletableFuture<?> again =
                    client.configs().getAsync(client.configs().key("a"));
            assertThatThrownBy(() -> again.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(CairnException.class)
                    .hasMessageContaining("errorCode");
        }
    }

    @Test
    void aRequestWithoutResponseEndsAfterTheTimeout() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address())
                        .requestTimeout(Duration.ofMillis(300))
                        .build()) {
            server.fallSilent();
            assertThatThrownBy(() -> client.configs().get(client.configs().key("a")))
                    .isInstanceOfSatisfying(CairnException.class, late -> assertThat(late.code())
                            .isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }

    @Test
    void backsOffWhenAServerDropsItsConnections() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            long begin = System.nanoTime();
            for (int drops = 1; drops < 6; drops++) {
                await().until(client::connected);
                int sofar = server.setups().size();
                server.dropAll();
                await().until(() -> server.setups().size() > sofar);
            }
            // At least half of the pauses of 100, 200, 400, 800 and 1600 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1_550));
        }
    }

    @Test
    void watchesOtherKeysWhenOneIsRefused() throws Exception {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
                boolean bad = JsonInput.read(request, ConfigBatchListenRequest::read).contexts().stream()
                        .anyMatch(context -> context.dataId().equals("bad"));
                return bad
                        ? WireResponse.failed(
                                MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE, 400, "dataId 'bad' is odd", null)
                        : listening("[]");
            });
            List<ConfigWatch> good = new ArrayList<>();
            ConfigWatch bad = client.configs().watch(client.configs().key("bad"), content -> {});
            for (int i = 0; i < 20; i++) {
                good.add(client.configs().watch(client.configs().key("good-" + i), content -> {}));
            }
            for (ConfigWatch watch : good) {
                assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isEmpty();
            }
            assertThatThrownBy(() -> bad.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("'bad' is odd");
            // A refused key may be allowed later.
            server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> listening("[]"));
            int before =
                    server.received(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST).size();
            await().until(() ->
                    server.received(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST).size() > before);
        }
    }

    @Test
    void keepsTheSnapshotsOfAShortLivedClientForTheNextOne(@TempDir Path folder) throws Exception {
        String address;
        try (FakeServer server = new FakeServer()) {
            address = server.address();
            server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content("x"));
            for (int i = 0; i < 20; i++) {
                try (CairnClient client = clientOf(address).snapshots(folder).build()) {
                    client.configs().get(client.configs().key("a" + i));
                }
            }
        }
        try (CairnClient client =
                clientOf(address).snapshots(folder).startWithoutServer(PATIENCE).build()) {
            for (int i = 0; i < 20; i++) {
                ConfigContent kept =
                        client.configs().get(client.configs().key("a" + i)).orElseThrow();
                assertThat(kept.text()).isEqualTo("x");
                assertThat(kept.origin()).isEqualTo(Origin.SNAPSHOT);
            }
        }
    }

    @Test
    void rejectsInvalidDurationsByName() {
        assertThatThrownBy(() -> clientOf("a:1").failFast(Duration.ofSeconds(-1)))
                .hasMessage("start timeout: PT-1S (expected: more than 0)");
        assertThatThrownBy(() -> clientOf("a:1").connectTimeout(Duration.ZERO))
                .hasMessage("connect timeout: PT0S (expected: more than 0)");
        assertThatThrownBy(() -> clientOf("a:1").startWithoutServer(Duration.ofSeconds(-1)))
                .hasMessage("start timeout: PT-1S (expected: 0 or more)");
        assertThat(clientOf("a:1").startWithoutServer(Duration.ZERO).startTimeout())
                .isZero();
    }

    @Test
    void closeLeavesNoThread() {
        try (FakeServer server = new FakeServer()) {
            for (int i = 0; i < 50; i++) {
                CairnClient client =
                        clientOf(server.address()).name("ended-" + i + "-").build();
                client.configs().watch(client.configs().key("a"), content -> {});
                client.close();
                assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("ended-"));
            }
        }
    }

    @Test
    void eachClusterHasItsOwnSnapshotsByDefault() {
        Path one = clientOf("10.0.0.5:8848,10.0.0.6:8848").snapshotPath();
        assertThat(one).startsWithRaw(Path.of(System.getProperty("user.home"), ".cairn", "snapshots"));
        assertThat(clientOf("10.0.0.6:8848", "10.0.0.5:8848").snapshotPath()).isEqualTo(one);
        assertThat(clientOf("10.0.0.7:8848").snapshotPath()).isNotEqualTo(one).hasParentRaw(one.getParent());
        assertThat(clientOf("a:1").snapshots(Path.of("x")).snapshotPath()).isEqualTo(Path.of("x"));
    }

    /** Stands for an organisation that resolves all names with its own registry. */
    private static final class ForeignResolvers extends NameResolverProvider {

        @Override
        public NameResolver newNameResolver(URI target, NameResolver.Args arguments) {
            throw new IllegalArgumentException("this is no name of ours: " + target);
        }

        @Override
        protected boolean isAvailable() {
            return true;
        }

        @Override
        protected int priority() {
            return 9;
        }

        @Override
        public String getDefaultScheme() {
            return "foreign";
        }
    }

    @Test
    void ignoresTheDefaultNameResolverOfTheApplication() {
        NameResolverProvider foreign = new ForeignResolvers();
        NameResolverRegistry.getDefaultRegistry().register(foreign);
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            assertThat(client.connected()).isTrue();
        } finally {
            NameResolverRegistry.getDefaultRegistry().deregister(foreign);
        }
    }

    @Test
    void aListenerThatIsCalledDuringWatchMayWatchAndClose() throws Exception {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content("x"));
            server.answer(
                    MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST,
                    request -> JsonInput.read(request, ConfigBatchListenRequest::read).contexts().stream()
                                    .allMatch(context -> context.md5().isEmpty())
                            ? Payload.of(
                                    MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE,
                                    WireResponse.start(64)
                                            .json(
                                                    "changedConfigs",
                                                    "[{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}]")
                                            .flag("success", true)
                                            .toBytes())
                            : listening("[]"));
            ConfigKey key = client.configs().key("a");
            try (ConfigWatch first = client.configs().watch(key, content -> {})) {
                first.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                AtomicReference<ConfigWatch> inner = new AtomicReference<>();
                AtomicInteger calls = new AtomicInteger();
                ConfigWatch second = client.configs()
                        .watch(
                                key,
                                content -> inner.set(
                                        client.configs().watch(key, same -> calls.incrementAndGet(), Runnable::run)),
                                Runnable::run);
                assertThat(calls).hasValue(1);
                assertThat(inner.get().known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isPresent();
                inner.get().close();
                second.close();
                assertThat(client.configs().watched()).isEqualTo(1);
            }
        }
    }
}
