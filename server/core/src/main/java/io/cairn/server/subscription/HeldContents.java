package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ClientConfigMetrics;
import io.cairn.api.wire.config.ClientConfigQuestion;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks clients which content they hold. The official Java client from 2.0 on answers with the content and its MD5,
 * Cairn's with the MD5. Thread-safe; never blocks.
 */
public final class HeldContents {

    /** From the question to the answer. */
    public static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The answer has the content as a text in a text, and larger messages end the connection. */
    static final int MOST_BYTES = 1 << 20;

    private static final int MOST_AT_ONCE = 200;
    private static final Logger log = LoggerFactory.getLogger(HeldContents.class);

    private final ConnectionRegistry connections;
    private final ConfigService configs;
    private final RequestIds requestIds;
    private final Timer timer;
    private final AtomicInteger open = new AtomicInteger();

    public HeldContents(ConnectionRegistry connections, ConfigService configs, RequestIds requestIds, Timer timer) {
        this.connections = connections;
        this.configs = configs;
        this.requestIds = requestIds;
        this.timer = timer;
    }

    public enum State {
        ANSWERED,
        /** No answer in time, or one without a digest. */
        SILENT,
        /** The client's SDK does not answer the question. */
        CANNOT_ANSWER,
        /** The client has no connection to this node. */
        NOT_CONNECTED,
        /** Too many questions are open, or the client does not read its stream. */
        BUSY,
        /** The content is too large for the question. */
        TOO_LARGE
    }

    /** @param digest of the held content; null without one */
    public record Held(State state, @Nullable ContentDigest digest) {

        private static Held of(State state) {
            return new Held(state, null);
        }
    }

    /** Asks a client of this node; completes within {@link #PATIENCE} and never fails. */
    public CompletionStage<Held> ask(String connectionId, ConfigKey key) {
        ClientConnection connection = connections.find(connectionId);
        if (connection == null || connection.isClosed()) {
            return completed(State.NOT_CONNECTED);
        }
        if (!connection.identity().sdk().reportsContents()) {
            return completed(State.CANNOT_ANSWER);
        }
        if (open.incrementAndGet() > MOST_AT_ONCE) {
            open.decrementAndGet();
            return completed(State.BUSY);
        }
        CompletableFuture<Held> held = new CompletableFuture<>();
        Timeout limit = timer.newTimeout(
                fired -> held.complete(Held.of(State.SILENT)), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        held.whenComplete((answer, failure) -> {
            limit.cancel();
            open.decrementAndGet();
        });
        size(connection, key).whenComplete((bytes, failure) -> {
            if (failure != null) {
                log.debug("The size of {} is unknown, so its clients are not asked", key, failure);
            } else if (bytes > MOST_BYTES) {
                held.complete(Held.of(State.TOO_LARGE));
            } else {
                ask(connection, key, held);
            }
        });
        return held;
    }

    private static CompletionStage<Held> completed(State state) {
        return CompletableFuture.completedFuture(Held.of(state));
    }

    /** Of the current content, in bytes; the client's may be another one. */
    private CompletionStage<Integer> size(ClientConnection connection, ConfigKey key) {
        ConfigEntry entry = configs.find(key, connection.identity().reader(null), false);
        if (entry == null) {
            return CompletableFuture.completedFuture(0);
        }
        ConfigVersion resident = configs.resident(entry);
        CompletionStage<Optional<ConfigVersion>> version = resident != null
                ? CompletableFuture.completedFuture(Optional.of(resident))
                : configs.load(
                        entry, () -> configs.find(key, connection.identity().reader(null), false));
        return version.thenApply(found -> found.map(ConfigVersion::length).orElse(0));
    }

    private void ask(ClientConnection connection, ConfigKey key, CompletableFuture<Held> held) {
        try {
            connection.loop().execute(() -> {
                if (connection.isClosed()) {
                    held.complete(Held.of(State.NOT_CONNECTED));
                } else if (!connection.isReady()) {
                    held.complete(Held.of(State.BUSY));
                } else {
                    String requestId = requestIds.next();
                    connection.ask(
                            question(requestId, key),
                            requestId,
                            MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE,
                            answer -> held.complete(read(answer, connection)),
                            () -> held.complete(Held.of(State.BUSY)));
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended, and the connection with it", connection.id(), e);
            held.complete(Held.of(State.NOT_CONNECTED));
        }
    }

    private static Held read(Payload answer, ClientConnection connection) {
        try {
            ClientConfigMetrics metrics = JsonInput.read(answer, ClientConfigMetrics::read);
            return metrics.client() == null
                    ? Held.of(State.SILENT)
                    : new Held(State.ANSWERED, metrics.digest().orElse(null));
        } catch (MalformedMessageException e) {
            log.debug("Malformed {} from {}: {}", answer.type(), connection.id(), e.getMessage());
            return Held.of(State.SILENT);
        }
    }

    /** Asks by both keys of the default namespace, because clients keep it as they write it. */
    private static Payload question(String requestId, ConfigKey key) {
        return new ClientConfigQuestion(
                        requestId,
                        Stream.of(GroupKey.shortened(key), GroupKey.spelled(key))
                                .distinct()
                                .toList())
                .toPayload();
    }
}
