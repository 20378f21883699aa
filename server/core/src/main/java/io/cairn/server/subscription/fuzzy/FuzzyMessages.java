package io.cairn.server.subscription.fuzzy;

import io.cairn.server.push.Push;
import java.util.Map;

/** Makes the pushes of a kind of fuzzy watch. */
public interface FuzzyMessages {

    /** Names in one message of a comparison. */
    int batchSize();

    Push changed(String name, boolean present);

    /**
     * A part of a comparison with the client's names.
     *
     * @param initial whether the client had no names
     * @param batch from 1
     * @param names the differences, and whether they are present
     * @param acknowledged called at the acknowledgement
     */
    Push differences(
            String pattern, boolean initial, int batch, int batches, Map<String, Boolean> names, Runnable acknowledged);

    /** A new client knows all matches. */
    Push finished(String pattern);
}
