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
 * <p>Each operation has two forms. The plain one waits, at most for the client's request timeout, and throws
 * {@link CairnException}: {@code UNAVAILABLE} when no server answers (the message gives each address, the phase that
 * was reached and what to check), {@link io.cairn.client.NoRightException} when the user lacks the permission,
 * {@code INVALID_PARAMETER} when the server rejects a name or a content. The {@code Async} form never waits, and its
 * future fails with the same exceptions. The future completes on one of the client's threads: for slow work use
 * {@code thenApplyAsync} or similar methods with an executor of your own. The plain forms throw
 * {@link IllegalStateException} on the client's threads, except on the thread that calls listeners.
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

    /** Created by the client; see {@link io.cairn.client.CairnClient#configs}. */
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

    /** A key in the client's namespace and the default group. */
    public ConfigKey key(String dataId) {
        return key(ConfigKey.DEFAULT_GROUP, dataId);
    }

    /** A key in the client's namespace. */
    public ConfigKey key(String group, String dataId) {
        return new ConfigKey(namespace, group, dataId);
    }

    /**
     * The configuration on the server; when no server answers, the snapshot of the last response (see
     * {@link ConfigContent#origin()} and {@link ConfigContent#age()}); empty when there is no such configuration.
     */
    public Optional<ConfigContent> get(ConfigKey key) {
        threads.checkMayBlock();
        Optional<ConfigContent> kept = isAway() ? snapshots.find(key) : Optional.empty();
        return kept.isPresent() ? kept : threads.await(fetch(key));
    }

    /** {@link #get(ConfigKey)} without waiting. */
    public CompletableFuture<Optional<ConfigContent>> getAsync(ConfigKey key) {
        if (isAway()) {
            return threads.read(() -> snapshots.find(key))
                    .thenCompose(found -> found.isPresent() ? CompletableFuture.completedFuture(found) : fetch(key));
        }
        return fetch(key);
    }

    /** Whether the client is disconnected; snapshots are returned at once then. */
    private boolean isAway() {
        return link.down() && !link.closed();
    }

    private CompletableFuture<Optional<ConfigContent>> fetch(ConfigKey key) {
        return requests.fetch(key)
                .thenApply(fetched -> {
                    // A watched key is kept up to date by its watch; this response may be older.
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
     * Stores a text, regardless of the present content; returns once it is durable. The type follows the extension of
     * the data id, such as YAML for {@code orders.yaml}, otherwise it is text.
     */
    public void publish(ConfigKey key, String text) {
        publish(key, text, ConfigRequests.typeOf(key.dataId()));
    }

    /**
     * Stores a text of that type, regardless of the present content; returns once it is durable. When a connection
     * breaks the request is sent again, and may then overwrite a newer version of another client; see
     * {@link #publishIf}.
     */
    public void publish(ConfigKey key, String text, ConfigType type) {
        threads.await(publishAsync(key, text, type));
    }

    /** {@link #publish(ConfigKey, String)} without waiting. */
    public CompletableFuture<Void> publishAsync(ConfigKey key, String text) {
        return publishAsync(key, text, ConfigRequests.typeOf(key.dataId()));
    }

    /** {@link #publish(ConfigKey, String, ConfigType)} without waiting. */
    public CompletableFuture<Void> publishAsync(ConfigKey key, String text, ConfigType type) {
        return requests.publish(key, text, type, null).thenApply(stored -> null);
    }

    /**
     * Stores a text if the stored content has that digest, or if nothing is stored any more; returns once it is
     * durable. Without a response it is unknown whether the text was stored. The call then fails with
     * {@code UNAVAILABLE} and is not repeated.
     *
     * @param expected the value of {@link ConfigContent#digest}
     * @return whether it was stored; false when another content is stored
     */
    public boolean publishIf(ConfigKey key, String text, ConfigType type, ContentDigest expected) {
        return threads.await(publishIfAsync(key, text, type, expected));
    }

    /** {@link #publishIf} without waiting. */
    public CompletableFuture<Boolean> publishIfAsync(
            ConfigKey key, String text, ConfigType type, ContentDigest expected) {
        return requests.publish(key, text, type, expected.toString());
    }

    /**
     * Stores a text if there is no such configuration. When several clients try at the same time, one succeeds.
     * Otherwise like {@link #publishIf}.
     *
     * @return whether it was stored; false when the configuration exists already, with any content
     */
    public boolean publishIfAbsent(ConfigKey key, String text, ConfigType type) {
        return threads.await(publishIfAbsentAsync(key, text, type));
    }

    /** {@link #publishIfAbsent} without waiting. */
    public CompletableFuture<Boolean> publishIfAbsentAsync(ConfigKey key, String text, ConfigType type) {
        return requests.publish(key, text, type, ConfigRequests.NO_CONTENT);
    }

    /** Deletes a configuration; succeeds also when it does not exist. */
    public void delete(ConfigKey key) {
        threads.await(deleteAsync(key));
    }

    /** {@link #delete} without waiting. */
    public CompletableFuture<Void> deleteAsync(ConfigKey key) {
        return requests.delete(key);
    }

    /** Watches a configuration; the listener is called on the client's own callback thread. Does not wait. */
    public ConfigWatch watch(ConfigKey key, ConfigListener listener) {
        return watch(key, listener, threads.callbacks());
    }

    /** Watches a configuration; the listener is called on that executor. Does not wait. */
    public ConfigWatch watch(ConfigKey key, ConfigListener listener, Executor executor) {
        return watches.add(key, listener, executor);
    }

    /** A configuration as a record, kept up to date. Waits until its first state is known or the request times out. */
    public <T> ConfigView<T> view(ConfigKey key, Class<T> type) {
        return view(key, type, value -> {});
    }

    /** {@link #view(ConfigKey, Class)} with a listener for each value that could be read, including the first. */
    public <T> ConfigView<T> view(ConfigKey key, Class<T> type, Consumer<? super T> listener) {
        return view(key, new ConfigView<>(key, content -> content.as(type), listener));
    }

    /** A configuration as Java properties, kept up to date; see {@link #view(ConfigKey, Class)}. */
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
     * Watches all configurations of the client's namespace whose names match; the listener is called on the client's
     * own callback thread. Does not wait. The server must support patterns; otherwise {@link PatternWatch#known()}
     * fails.
     *
     * @param group a name, or one with {@code *} at its beginning, its end or both; or {@code *}
     * @param dataId likewise
     */
    public PatternWatch watchPattern(String group, String dataId, PatternListener listener) {
        return watchPattern(group, dataId, listener, threads.callbacks());
    }

    /** {@link #watchPattern(String, String, PatternListener)} with an executor of the caller's. */
    public PatternWatch watchPattern(String group, String dataId, PatternListener listener, Executor executor) {
        return patterns.add(new FuzzyPattern(namespace, group, dataId), listener, executor);
    }

    /** The number of watched configurations. */
    public int watched() {
        return watches.size();
    }
}
