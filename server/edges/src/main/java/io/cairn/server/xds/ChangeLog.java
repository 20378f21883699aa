package io.cairn.server.xds;

import java.util.Arrays;

/**
 * The last changes of a table: which name changed at which revision. The thread of the mesh appends; readers use the part up to the
 * length that was published to them, which is never written to again.
 */
final class ChangeLog {

    /** Changes that are kept at least. */
    static final int KEPT = 4096;

    private static final int FIRST_LENGTH = 64;

    private String[] names;
    private long[] revisions;
    private boolean[] listed;
    private int length;

    ChangeLog() {
        this(new String[FIRST_LENGTH], new long[FIRST_LENGTH], new boolean[FIRST_LENGTH], 0);
    }

    private ChangeLog(String[] names, long[] revisions, boolean[] listed, int length) {
        this.names = names;
        this.revisions = revisions;
        this.listed = listed;
        this.length = length;
    }

    /** An immutable look at the first changes of a log. */
    @SuppressWarnings(
            "ArrayRecordComponent") // shared between the looks at one log, and never written to below their length
    record Part(String[] names, long[] revisions, boolean[] listed, int length, long completeAfter) {

        static final Part NONE = new Part(new String[0], new long[0], new boolean[0], 0, 0);

        String name(int index) {
            return names[index];
        }

        long revision(int index) {
            return revisions[index];
        }

        /** Whether the resource is or was among those for all subscriptions of the type. */
        boolean isListed(int index) {
            return listed[index];
        }
    }

    /** @param isListed whether the resource is or was among those for all subscriptions of the type */
    void append(String name, long revision, boolean isListed) {
        if (length == names.length) {
            names = Arrays.copyOf(names, 2 * length);
            revisions = Arrays.copyOf(revisions, 2 * length);
            listed = Arrays.copyOf(listed, 2 * length);
        }
        names[length] = name;
        listed[length] = isListed;
        revisions[length++] = revision;
    }

    /** A log without the older half once it is full, else this one. */
    ChangeLog trimmed() {
        if (length < 2 * KEPT) {
            return this;
        }
        return new ChangeLog(
                Arrays.copyOfRange(names, length - KEPT, length + KEPT),
                Arrays.copyOfRange(revisions, length - KEPT, length + KEPT),
                Arrays.copyOfRange(listed, length - KEPT, length + KEPT),
                KEPT);
    }

    /** The revision of the oldest change. */
    long oldest() {
        return revisions[0];
    }

    /** @param completeAfter the revision after which no change is missing */
    Part part(long completeAfter) {
        return new Part(names, revisions, listed, length, completeAfter);
    }
}
