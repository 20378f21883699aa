package io.cairn.server.subscription.fuzzy;

import io.cairn.server.push.Push;
import java.util.Map;

/** Makes the pushes of a kind of fuzzy watch. Thread-safe. */
public interface FuzzyMessages {

    /** Names in one message of a comparison. */
    int batchSize();

    /** A name has come or gone. */
    Push changed(String name, boolean present);

    /**
     * A part of the comparison of what matches with what a client knows.
     *
     * @param initial whether the client knew nothing before
     * @param batch counted from 1
     * @param names those that differ, and whether they are present
     * @param acknowledged to be called when the client has acknowledged it
     */
    Push differences(
            String pattern, boolean initial, int batch, int batches, Map<String, Boolean> names, Runnable acknowledged);

    /** A client that knew nothing before now knows all matches. */
    Push finished(String pattern);
}
