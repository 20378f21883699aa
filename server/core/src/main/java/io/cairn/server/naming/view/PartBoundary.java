package io.cairn.server.naming.view;

import io.cairn.api.naming.InstanceKey;

/**
 * The boundaries of a long list's parts: instances selected by their own names. An added or removed instance changes its own part
 * only.
 */
public final class PartBoundary {

    /** A shorter list is not divided. */
    public static final int SMALLEST_LIST = 512;

    /** The average number of instances in a part. */
    private static final int AVERAGE = 128;

    private static final int LONGEST = 8 * AVERAGE;

    private PartBoundary() {}

    /** @param length of the present part so far */
    public static boolean isBefore(InstanceKey instance, int length) {
        // The golden ratio spreads the hashes of consecutive addresses.
        return length == LONGEST || length > 0 && (instance.hashCode() * 0x9e3779b9 >>> 16) % AVERAGE == 0;
    }
}
