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

/** The configurations of the latest changes, for clients that may have missed them. */
public final class LatestChanges {

    /** Earlier ones are dropped. */
    static final int MOST = 256;

    private final LongSupplier nanoTime;

    /** The time of each latest change, earliest first. */
    @GuardedBy("this")
    private final Map<ConfigKey, Long> changes = new LinkedHashMap<>();

    public LatestChanges(ChangeFeed feed) {
        this(feed, System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
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

    /** The changes since that {@link System#nanoTime}, earliest first. */
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
