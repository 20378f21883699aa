package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;

/**
 * Where a long list of instances is divided into parts: before instances that their own names choose. An instance that comes or goes
 * changes the part around it, and no other.
 */
public final class PartBoundary {

    /** A shorter list is not divided. */
    public static final int SMALLEST_LIST = 512;

    /** One in so many instances begins a part, on average. */
    private static final int AVERAGE = 128;

    private static final int LONGEST = 8 * AVERAGE;

    private PartBoundary() {}

    /**
     * Whether the next part begins with this instance.
     *
     * @param length of the present part so far
     */
    public static boolean isBefore(InstanceKey instance, int length) {
        // The golden ratio spreads the hashes of addresses in a row.
        return length == LONGEST || length > 0 && (instance.hashCode() * 0x9e3779b9 >>> 16) % AVERAGE == 0;
    }
}
