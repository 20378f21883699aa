package io.cairn.server.xds.stream;

import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.TypeTable;
import io.cairn.server.xds.view.ViewState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The difference in a response. A client that refuses it gets it with the next revision.
 *
 * @param since the client's revision; {@link ViewState#NOTHING} at first
 * @param first the revision of the first response with the difference: a refusing client may keep parts of it
 * @param due unchanged names to be sent; may be null
 * @param versions of an earlier stream
 */
record Delivery(long since, long first, @Nullable Set<String> due, Map<String, String> versions) {

    /** Both in one response. */
    Delivery with(Delivery other) {
        return new Delivery(
                Math.min(since, other.since),
                Math.min(first, other.first),
                joined(due, other.due),
                versions.isEmpty() ? other.versions : versions);
    }

    Set<String> dueNames() {
        return due == null ? Set.of() : due;
    }

    private static @Nullable Set<String> joined(@Nullable Set<String> some, @Nullable Set<String> more) {
        if (some == null || more == null) {
            return some == null ? more : some;
        }
        Set<String> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    /** The revision that the table's log must reach back to, to know all removed names. */
    long oldest() {
        return since == TableEntry.NOTHING ? first : since;
    }

    /** The client's possible versions; empty for a name removed since the first response. */
    Map<String, String> present(TypeTable table, Subscription subscription) {
        if (since != TableEntry.NOTHING) {
            return versions;
        }
        Set<String> gone = table.changesSince(first, subscription).removed();
        if (gone.isEmpty()) {
            return versions;
        }
        Map<String, String> present = new HashMap<>(versions);
        gone.forEach(name -> present.putIfAbsent(name, ""));
        return present;
    }

    /** The question for the response to a client that may have these versions. */
    ViewState.Question question(Subscription subscription, boolean delta, Map<String, String> present) {
        return new ViewState.Question(
                subscription, delta, since, since == TableEntry.NOTHING && present.isEmpty() ? null : due);
    }
}
