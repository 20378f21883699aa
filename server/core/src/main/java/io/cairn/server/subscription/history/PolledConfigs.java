package io.cairn.server.subscription.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of clients that poll, which have no connection: the next poll of the same address and SDK shows whether a client has
 * another content. The contents of the last {@value #KEEP_MILLIS} ms with an event are in memory, at most {@value #MOST_KEYS} of them
 * and {@value #MOST_KEYS_OF_CLIENT} of a client; events beyond that are shown as missing.
 *
 * <p>Thread-safe; returns at once.
 */
public final class PolledConfigs {

    static final int MOST_KEYS = 100_000;
    static final int MOST_KEYS_OF_CLIENT = 3_000;
    private static final long KEEP_MILLIS = 60_000;
    /** From a search for old contents to the next one while there is no room. */
    private static final long SEARCH_PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private static final Logger log = LoggerFactory.getLogger(PolledConfigs.class);

    private final ClientHistory history;
    private final Clock clock;
    private final Executor executor;
    private final int mostKeys;
    /** A client's map is used inside {@code compute} alone. */
    private final Map<SeenClient, Map<ConfigKey, Known>> clients = new ConcurrentHashMap<>();

    private final AtomicInteger size = new AtomicInteger();
    private final AtomicLong searchedAtMillis = new AtomicLong(-KEEP_MILLIS);

    /** A reported content, and whether the client was notified since. */
    private record Known(@Nullable ContentDigest digest, long atMillis, boolean notified) {}

    /** @param executor searches for old contents */
    public PolledConfigs(ClientHistory history, Clock clock, Executor executor) {
        this(history, clock, executor, MOST_KEYS);
    }

    PolledConfigs(ClientHistory history, Clock clock, Executor executor, int mostKeys) {
        this.history = history;
        this.clock = clock;
        this.executor = executor;
        this.mostKeys = mostKeys;
    }

    /** Whether a poll of the client has anything to compare with; saves the lists of most polls. */
    public boolean knows(SeenClient client) {
        return clients.containsKey(client);
    }

    /**
     * A client has polled.
     *
     * @param begins whether it begins to listen to some of them
     * @param held the contents that it reports, in the order of the keys; null without a content
     * @param changed those with another content for it now
     */
    public void polled(
            SeenClient client,
            boolean begins,
            List<ConfigKey> keys,
            List<? extends @Nullable ContentDigest> held,
            Collection<ConfigKey> changed) {
        if (!history.isKept() || !begins && !knows(client)) {
            return;
        }
        long now = clock.millis();
        searchSometimes(now);
        clients.compute(client, (same, before) -> {
            Map<ConfigKey, Known> known = before == null ? new HashMap<>() : before;
            List<ConfigKey> listened = new ArrayList<>();
            List<@Nullable ContentDigest> contents = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                ConfigKey key = keys.get(i);
                ContentDigest digest = held.get(i);
                Known last = known.get(key);
                if (last == null || isOld(last, now)) {
                    if (begins && keep(known, key, new Known(digest, now, false))) {
                        listened.add(key);
                        contents.add(digest);
                    }
                } else if (!Objects.equals(last.digest, digest)) {
                    known.put(key, new Known(digest, now, false));
                    history.followed(client, key, digest);
                } else if (last.notified && !changed.contains(key)) {
                    // The change was for other clients, or was taken back.
                    known.put(key, new Known(digest, now, false));
                }
            }
            if (!listened.isEmpty()) {
                history.listened(client, listened, contents);
            }
            return withoutOld(known, now);
        });
    }

    /**
     * A poll was answered with changes.
     *
     * @param held the contents that it reports, in the order of the keys
     */
    public void answered(SeenClient client, List<ConfigKey> changed, List<? extends @Nullable ContentDigest> held) {
        if (!history.isKept()) {
            return;
        }
        long now = clock.millis();
        searchSometimes(now);
        clients.compute(client, (same, before) -> {
            Map<ConfigKey, Known> known = before == null ? new HashMap<>() : before;
            for (int i = 0; i < changed.size(); i++) {
                ConfigKey key = changed.get(i);
                Known last = known.get(key);
                boolean isRepeated =
                        last != null && last.notified && !isOld(last, now) && Objects.equals(last.digest, held.get(i));
                if (!isRepeated && keep(known, key, new Known(held.get(i), now, true))) {
                    history.notified(client, key);
                }
            }
            return known.isEmpty() ? null : known;
        });
    }

    private static boolean isOld(Known known, long now) {
        return now - known.atMillis >= KEEP_MILLIS;
    }

    private boolean keep(Map<ConfigKey, Known> known, ConfigKey key, Known now) {
        if (!known.containsKey(key)) {
            if (known.size() >= MOST_KEYS_OF_CLIENT || size.get() >= mostKeys) {
                history.lost(1);
                return false;
            }
            size.incrementAndGet();
        }
        known.put(key, now);
        return true;
    }

    private @Nullable Map<ConfigKey, Known> withoutOld(Map<ConfigKey, Known> known, long now) {
        int before = known.size();
        known.values().removeIf(each -> isOld(each, now));
        size.addAndGet(known.size() - before);
        return known.isEmpty() ? null : known;
    }

    private void searchSometimes(long now) {
        long searched = searchedAtMillis.get();
        long pause = size.get() >= mostKeys ? SEARCH_PAUSE_MILLIS : KEEP_MILLIS;
        if (now - searched < pause || !searchedAtMillis.compareAndSet(searched, now)) {
            return;
        }
        try {
            executor.execute(() -> clients.keySet()
                    .forEach(client -> clients.computeIfPresent(client, (same, known) -> withoutOld(known, now))));
        } catch (RejectedExecutionException e) {
            log.debug("Old contents of polling clients are searched for later, because the executor is busy", e);
        }
    }
}
