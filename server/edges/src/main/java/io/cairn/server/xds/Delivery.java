package io.cairn.server.xds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The difference that a response is made of. A client that refuses the response lacks it, and gets it with the next revision.
 *
 * @param since the revision that the client had before; {@link ViewState#NOTHING} for none
 * @param first the revision of the first response with the difference: a client that refuses may keep parts of it
 * @param due names that are sent though they have not changed since then; null for none
 * @param versions that the client has from an earlier stream
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

    /** The revision that the table's log has to reach back to, so that all names are known that are gone. */
    long oldest() {
        return since == ViewState.NOTHING ? first : since;
    }

    /** The versions that the client may have, with an empty one for a name that is gone since the first response. */
    Map<String, String> present(TypeTable table, Subscription subscription) {
        if (since != ViewState.NOTHING) {
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

    /** The question for the response, of a client that may have these versions. */
    ViewState.Question question(Subscription subscription, boolean delta, Map<String, String> present) {
        return new ViewState.Question(
                subscription, delta, since, since == ViewState.NOTHING && present.isEmpty() ? null : due);
    }
}
