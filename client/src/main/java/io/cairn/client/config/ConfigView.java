package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as a typed value, always the newest readable version: an unreadable content is logged and, like a
 * deletion, leaves the value unchanged. Thread-safe; {@link #get} costs one volatile read.
 */
public final class ConfigView<T> implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    private final ConfigKey key;
    private final Function<ConfigContent, T> reader;
    private final Consumer<? super T> listener;
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    /** Written with this object's lock held, read without it. */
    private volatile @Nullable T value;

    private volatile @Nullable RuntimeException problem;
    /** Set once, before the view is returned to its user. */
    private @Nullable ConfigWatch watch;

    ConfigView(ConfigKey key, Function<ConfigContent, T> reader, Consumer<? super T> listener) {
        this.key = key;
        this.reader = reader;
        this.listener = listener;
    }

    void attach(ConfigWatch to) {
        watch = to;
        to.known().whenComplete((content, failure) -> {
            if (failure != null) {
                problem = failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
            } else {
                content.ifPresent(this::readFirst);
            }
            first.complete(null);
        });
    }

    /** Reads the first state, unless a newer content was delivered before it. */
    private synchronized void readFirst(ConfigContent content) {
        if (value == null && problem == null) {
            read(content);
        }
    }

    void take(ConfigContent content) {
        if (read(content)) {
            listener.accept(get());
        }
    }

    private synchronized boolean read(ConfigContent content) {
        try {
            value = reader.apply(content);
            problem = null;
            return true;
        } catch (RuntimeException e) {
            problem = e;
            LOG.log(
                    System.Logger.Level.ERROR,
                    content.key() + " cannot be read" + (value == null ? "" : ", its last value stays") + ": "
                            + e.getMessage());
            return false;
        }
    }

    /** @throws CairnException {@code NOT_FOUND} when no version could be read yet; the message contains the reason */
    public T get() {
        T now = value;
        if (now == null) {
            RuntimeException why = problem;
            throw new CairnException(
                    ErrorCode.NOT_FOUND,
                    why == null
                            ? key + ": there is no such configuration yet"
                            : key + ": no version could be read: " + why.getMessage(),
                    why);
        }
        return now;
    }

    /** Empty when no version could be read yet. */
    public Optional<T> find() {
        return Optional.ofNullable(value);
    }

    /** The reason why the newest content could not be read; empty when it was read. */
    public Optional<RuntimeException> problem() {
        return Optional.ofNullable(problem);
    }

    CompletableFuture<Void> first() {
        return first;
    }

    @Override
    public void close() {
        ConfigWatch now = watch;
        if (now != null) {
            now.close();
        }
    }
}
