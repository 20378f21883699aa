package io.cairn.server.cluster.replication;

import io.cairn.server.naming.registry.MirroredPublication;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Moved publications, until their new owner publishes them or their time ends. Not thread-safe. */
final class MovedPublications {

    private final Map<PublicationKey, Moved> all = new HashMap<>(0);

    /** @param atNanos when it has moved */
    private record Moved(MirroredPublication publication, long atNanos, long untilNanos) {

        /** As if it had moved now, but not without a limit. */
        Moved again(long now) {
            return now - atNanos > PeerCopy.CUT_OFF.toNanos()
                    ? this
                    : new Moved(publication, atNanos, now + PeerCopy.MOVED_HOLD.toNanos());
        }
    }

    void add(PublicationKey key, MirroredPublication publication, long now) {
        all.put(key, new Moved(publication, now, now + PeerCopy.MOVED_HOLD.toNanos()));
    }

    @Nullable
    MirroredPublication get(PublicationKey key) {
        Moved moved = all.get(key);
        return moved == null ? null : moved.publication();
    }

    @Nullable
    MirroredPublication remove(PublicationKey key) {
        Moved moved = all.remove(key);
        return moved == null ? null : moved.publication();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    void extend(long now) {
        all.replaceAll((key, each) -> each.again(now));
    }

    void end(long now, Consumer<MirroredPublication> ended) {
        for (Iterator<Moved> each = all.values().iterator(); each.hasNext(); ) {
            Moved moved = each.next();
            if (now - moved.untilNanos() >= 0) {
                each.remove();
                ended.accept(moved.publication());
            }
        }
    }
}
