package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads contents that are not in memory, on a few threads. Concurrent readers share a read of the store, and a content. Does not
 * block.
 */
public final class ContentLoader {

    /** Rows of one statement, where a statement can read several. */
    private static final int TOGETHER = 64;

    /** So few readers use one thread: a second read costs more than their rows. */
    private static final int FEW = 16;

    private static final int MAX_ATTEMPTS = 5;

    private final ConfigStore store;
    private final ConfigView view;
    private final Executor threads;
    private final int maxThreads;
    private final int maxWaiting;
    private final Consumer<ConfigEntry> misstated;
    private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    /** The reading threads. */
    private final AtomicInteger reading = new AtomicInteger();

    /** @param selectAgain selects the entry again after a change */
    private record Waiting(
            ConfigEntry entry,
            Supplier<@Nullable ConfigEntry> selectAgain,
            CompletableFuture<Optional<ConfigVersion>> answer) {}

    /**
     * @param threads a small bounded pool
     * @param maxThreads concurrent readers in it
     * @param maxWaiting further readers are refused
     */
    public ContentLoader(ConfigStore store, ConfigView view, Executor threads, int maxThreads, int maxWaiting) {
        this(store, view, threads, maxThreads, maxWaiting, entry -> {});
    }

    /** @param misstated gets a shown entry whose digest is not that of the stored content; must not block */
    public ContentLoader(
            ConfigStore store,
            ConfigView view,
            Executor threads,
            int maxThreads,
            int maxWaiting,
            Consumer<ConfigEntry> misstated) {
        this.store = store;
        this.view = view;
        this.threads = threads;
        this.maxThreads = maxThreads;
        this.maxWaiting = maxWaiting;
        this.misstated = misstated;
    }

    /** As {@link ConfigService#load}. */
    CompletionStage<Optional<ConfigVersion>> load(ConfigEntry entry, Supplier<@Nullable ConfigEntry> selectAgain) {
        if (count.incrementAndGet() > maxWaiting) {
            count.decrementAndGet();
            return CompletableFuture.failedFuture(busy(null));
        }
        CompletableFuture<Optional<ConfigVersion>> answer = new CompletableFuture<>();
        waiting.add(new Waiting(entry, selectAgain, answer));
        startThread();
        return answer;
    }

    private static CairnException busy(@Nullable Throwable cause) {
        return new CairnException(
                ErrorCode.BUSY, "Too many configurations are being read from the database; try again shortly", cause);
    }

    private void startThread() {
        for (int now = running.get(); now < maxThreads; now = running.get()) {
            if (running.compareAndSet(now, now + 1)) {
                try {
                    threads.execute(this::run);
                } catch (RejectedExecutionException e) {
                    running.decrementAndGet();
                    take(Integer.MAX_VALUE).forEach(each -> each.answer.completeExceptionally(busy(e)));
                }
                return;
            }
        }
    }

    private void run() {
        try {
            for (List<Waiting> some = take(share()); !some.isEmpty(); some = take(share())) {
                reading.incrementAndGet();
                try {
                    answer(some);
                } finally {
                    reading.decrementAndGet();
                }
            }
        } finally {
            running.decrementAndGet();
        }
        // A later reader may have found all threads busy.
        if (!waiting.isEmpty()) {
            startThread();
        }
    }

    /** The readers for this thread: leaves free threads their part. */
    private int share() {
        int free = Math.max(1, maxThreads - reading.get());
        int part = (count.get() + free - 1) / free;
        return Math.min(TOGETHER, Math.max(FEW, part));
    }

    private List<Waiting> take(int most) {
        List<Waiting> taken = new ArrayList<>();
        while (taken.size() < most) {
            Waiting next = waiting.poll();
            if (next == null) {
                break;
            }
            taken.add(next);
        }
        count.addAndGet(-taken.size());
        return taken;
    }

    private void answer(List<Waiting> readers) {
        Map<ConfigEntry, ConfigVersion> found;
        try {
            found = read(readers);
        } catch (RuntimeException | Error e) {
            readers.forEach(each -> each.answer.completeExceptionally(e));
            return;
        }
        for (Waiting each : readers) {
            ConfigVersion version = found.get(each.entry);
            if (version != null) {
                each.answer.complete(Optional.of(version));
            } else {
                answerSingly(each);
            }
        }
    }

    private Map<ConfigEntry, ConfigVersion> read(List<Waiting> readers) {
        Map<ConfigEntry, ConfigVersion> found = new HashMap<>();
        Set<ConfigEntry> missing = new LinkedHashSet<>();
        for (Waiting each : readers) {
            ConfigVersion resident = view.residentMeanwhile(each.entry);
            if (resident == null) {
                missing.add(each.entry);
            } else {
                found.put(each.entry, resident);
            }
        }
        if (!missing.isEmpty()) {
            Map<ConfigEntry, ConfigVersion> read = store.loadTogether(missing);
            read.values().forEach(view::keep);
            found.putAll(read);
        }
        return found;
    }

    private void answerSingly(Waiting reader) {
        try {
            reader.answer.complete(loadNow(reader.entry, reader.selectAgain));
        } catch (RuntimeException | Error e) {
            reader.answer.completeExceptionally(e);
        }
    }

    private Optional<ConfigVersion> loadNow(ConfigEntry first, Supplier<@Nullable ConfigEntry> selectAgain) {
        ConfigEntry entry = first;
        for (int attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
            ConfigVersion resident = view.residentMeanwhile(entry);
            if (resident != null) {
                return Optional.of(resident);
            }
            Optional<ConfigVersion> version = store.load(entry);
            if (version.isPresent() && version.get().entry().equals(entry)) {
                view.keep(version.get());
                return version;
            }
            ConfigEntry now = selectAgain.get();
            if (now == null) {
                return Optional.empty();
            }
            entry = now;
        }
        // The configuration changes too fast, or another program changed the row. The stored content is the newest.
        Optional<ConfigVersion> stored = store.load(entry);
        if (entry.equals(first)
                && stored.isPresent()
                && !stored.get().entry().digest().equals(entry.digest())) {
            misstated.accept(entry);
        }
        return stored;
    }
}
