package io.cairn.server.subscription;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The configurations that have changed last, for clients that may not have been notified. Thread-safe. */
public final class LatestChanges {

    /** Of more, the earlier ones are forgotten. */
    static final int MOST = 256;

    private final LongSupplier nanoTime;

    /** The time of the latest change of each; the earliest first. */
    @GuardedBy("this")
    private final Map<ConfigKey, Long> changes = new LinkedHashMap<>();

    public LatestChanges(ChangeFeed feed) {
        this(feed, System::nanoTime);
    }

    /** @param nanoTime what {@link System#nanoTime} tells */
    LatestChanges(ChangeFeed feed, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        feed.follow(this::changed);
    }

    private synchronized void changed(ConfigChanged change) {
        if (change.contentDiffers()) {
            changes.remove(change.key());
            changes.put(change.key(), nanoTime.getAsLong());
            if (changes.size() > MOST) {
                changes.remove(changes.keySet().iterator().next());
            }
        }
    }

    /** Those that have changed at that time of {@link System#nanoTime} or later, the earliest first. */
    synchronized List<ConfigKey> since(long nanos) {
        List<ConfigKey> later = new ArrayList<>();
        for (Map.Entry<ConfigKey, Long> each : changes.entrySet()) {
            if (each.getValue() - nanos >= 0) {
                later.add(each.getKey());
            }
        }
        return later;
    }
}
