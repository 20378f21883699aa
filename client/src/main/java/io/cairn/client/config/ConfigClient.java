package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.client.internal.ClientParts;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Reads, writes and watches configurations. Thread-safe.
 *
 * <p>Blocking operations wait up to the request timeout and throw {@link CairnException}: {@code UNAVAILABLE} when the
 * client cannot reach a server (the message gives for each address the phase that the attempt reached and what to check),
 * {@link io.cairn.client.connection.NoRightException} when the user lacks the permission, {@code INVALID_PARAMETER} when the server
 * rejects a name or a content. They throw {@link IllegalStateException} on the client's threads, except on the callback
 * thread.
 *
 * <p>{@code Async} operations never wait, and their futures fail with the same exceptions. The futures complete on the
 * client's threads: pass your own executor to {@code thenApplyAsync} for slow work.
 *
 * <p>{@code watch} operations never wait, and call listeners on the client's callback thread unless they receive an
 * executor.
 */
public final class ConfigClient {

    private final Namespace namespace;
    private final Threads threads;
    private final ServerLink link;
    private final ConfigRequests requests;
    private final Snapshots snapshots;
    private final Watches watches;
    private final Patterns patterns;
    private final Duration patience;

    public ConfigClient(ClientParts parts) {
        namespace = parts.namespace();
        threads = parts.threads();
        link = parts.link();
        patience = parts.patience();
        requests = new ConfigRequests(link);
        snapshots = new Snapshots(parts.folder());
        watches = new Watches(link, threads, requests, snapshots);
        patterns = new Patterns(link, threads, patience);
    }

    public ConfigKey key(String dataId) {
        return key(ConfigKey.DEFAULT_GROUP, dataId);
    }

    /** A key in the client's namespace. */
    public ConfigKey key(String group, String dataId) {
        return new ConfigKey(namespace, group, dataId);
    }

    /**
     * Reads a configuration; empty when it does not exist. Returns a snapshot while the client cannot reach a server
     * ({@link ConfigContent#origin()}, {@link ConfigContent#age()}).
     */
    public Optional<ConfigContent> get(ConfigKey key) {
        threads.checkMayBlock();
        Optional<ConfigContent> kept = isAway() ? snapshots.find(key) : Optional.empty();
        return kept.isPresent() ? kept : threads.await(fetch(key));
    }

    public CompletableFuture<Optional<ConfigContent>> getAsync(ConfigKey key) {
        if (isAway()) {
            return threads.read(() -> snapshots.find(key))
                    .thenCompose(found -> found.isPresent() ? CompletableFuture.completedFuture(found) : fetch(key));
        }
        return fetch(key);
    }

    private boolean isAway() {
        return link.down() && !link.closed();
    }

    private CompletableFuture<Optional<ConfigContent>> fetch(ConfigKey key) {
        return requests.fetch(key)
                .thenApply(fetched -> {
                    // The watch of a key stores its snapshots; this response may be older.
                    if (!watches.isKnown(key)) {
                        fetched.ifPresentOrElse(found -> snapshots.keep(found.content()), () -> snapshots.forget(key));
                    }
                    return fetched.map(ConfigRequests.Fetched::content);
                })
                .exceptionallyCompose(failure -> fallBack(key, Refusals.of(failure)));
    }

    private CompletableFuture<Optional<ConfigContent>> fallBack(ConfigKey key, CairnException failure) {
        if (failure.code() != ErrorCode.UNAVAILABLE || link.closed()) {
            return CompletableFuture.failedFuture(failure);
        }
        return threads.read(() -> snapshots.find(key)).thenApply(kept -> Optional.of(kept.orElseThrow(() -> failure)));
    }

    /**
     * Stores a text, regardless of the present content; returns once it is durable. The type follows from the extension of
     * the data id; without a known extension it is text.
     */
    public void publish(ConfigKey key, String text) {
        publish(key, text, ConfigRequests.typeOf(key.dataId()));
    }

    /**
     * Stores a text, regardless of the present content; returns once it is durable. The client repeats the request after a
     * broken connection, which may overwrite a newer version of another client; see {@link #publishIf}.
     */
    public void publish(ConfigKey key, String text, ConfigType type) {
        threads.await(publishAsync(key, text, type));
    }

    public CompletableFuture<Void> publishAsync(ConfigKey key, String text) {
        return publishAsync(key, text, ConfigRequests.typeOf(key.dataId()));
    }

    public CompletableFuture<Void> publishAsync(ConfigKey key, String text, ConfigType type) {
        return requests.publish(key, text, type, null).thenApply(stored -> null);
    }

    /**
     * Stores a text if the stored content has the expected digest or does not exist; returns once it is durable. The client
     * does not repeat this request: after {@code UNAVAILABLE} the text may or may not be stored.
     *
     * @param expected the value of {@link ConfigContent#digest}
     * @return false when the stored content has another digest; nothing is written
     */
    public boolean publishIf(ConfigKey key, String text, ConfigType type, ContentDigest expected) {
        return threads.await(publishIfAsync(key, text, type, expected));
    }

    public CompletableFuture<Boolean> publishIfAsync(
            ConfigKey key, String text, ConfigType type, ContentDigest expected) {
        return requests.publish(key, text, type, expected.toString());
    }

    /**
     * Stores a text if the configuration does not exist; of concurrent calls, one succeeds. Otherwise like
     * {@link #publishIf}.
     *
     * @return false when the configuration exists; nothing is written
     */
    public boolean publishIfAbsent(ConfigKey key, String text, ConfigType type) {
        return threads.await(publishIfAbsentAsync(key, text, type));
    }

    public CompletableFuture<Boolean> publishIfAbsentAsync(ConfigKey key, String text, ConfigType type) {
        return requests.publish(key, text, type, ConfigRequests.NO_CONTENT);
    }

    /** Succeeds also when the configuration does not exist. */
    public void delete(ConfigKey key) {
        threads.await(deleteAsync(key));
    }

    public CompletableFuture<Void> deleteAsync(ConfigKey key) {
        return requests.delete(key);
    }

    public ConfigWatch watch(ConfigKey key, ConfigListener listener) {
        return watch(key, listener, threads.callbacks());
    }

    /** Calls the listener on this executor. */
    public ConfigWatch watch(ConfigKey key, ConfigListener listener, Executor executor) {
        return watches.add(key, listener, executor);
    }

    /** Reads a configuration into a record and keeps it up to date. Waits for the first state up to the request timeout. */
    public <T> ConfigView<T> view(ConfigKey key, Class<T> type) {
        return view(key, type, value -> {});
    }

    /** Like {@link #view(ConfigKey, Class)}; calls the listener with each readable value, including the first. */
    public <T> ConfigView<T> view(ConfigKey key, Class<T> type, Consumer<? super T> listener) {
        return view(key, new ConfigView<>(key, content -> content.as(type), listener));
    }

    /** Reads a configuration as Java properties and keeps it up to date; see {@link #view(ConfigKey, Class)}. */
    public ConfigView<Properties> properties(ConfigKey key) {
        return view(key, new ConfigView<>(key, ConfigContent::asProperties, value -> {}));
    }

    private <T> ConfigView<T> view(ConfigKey key, ConfigView<T> view) {
        threads.checkMayBlock();
        view.attach(watch(key, view::take));
        threads.await(view.first(), patience);
        return view;
    }

    /**
     * Watches all configurations of the client's namespace that match a pattern.
     *
     * @param group a name, optionally with {@code *} at its beginning, its end or both; or {@code *}
     * @param dataId likewise
     */
    public PatternWatch watchPattern(String group, String dataId, PatternListener listener) {
        return watchPattern(group, dataId, listener, threads.callbacks());
    }

    /** Calls the listener on this executor. */
    public PatternWatch watchPattern(String group, String dataId, PatternListener listener, Executor executor) {
        return patterns.add(new FuzzyPattern(namespace, group, dataId), listener, executor);
    }

    public int watched() {
        return watches.size();
    }
}
