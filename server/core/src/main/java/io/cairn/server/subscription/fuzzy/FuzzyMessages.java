package io.cairn.server.subscription.fuzzy;

import io.cairn.server.push.Push;
import java.util.Map;

/** Makes the pushes of a kind of fuzzy watch. Thread-safe. */
public interface FuzzyMessages {

    /** Names in one message of a comparison. */
    int batchSize();

    /** The message that a name was added or removed. */
    Push changed(String name, boolean present);

    /**
     * A part of the comparison of the matching names with the client's names.
     *
     * @param initial whether the client had no names before
     * @param batch counted from 1
     * @param names the names that differ, and whether they are present
     * @param acknowledged called when the client has acknowledged it
     */
    Push differences(
            String pattern, boolean initial, int batch, int batches, Map<String, Boolean> names, Runnable acknowledged);

    /** A client that knew nothing before now knows all matches. */
    Push finished(String pattern);
}
