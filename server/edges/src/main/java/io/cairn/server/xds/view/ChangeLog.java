package io.cairn.server.xds.view;

import java.util.Arrays;

/**
 * The last changes of a table: each name with its revision. The mesh thread appends; readers use the part up to their published
 * length, which never changes.
 */
public final class ChangeLog {

    /** The minimum number of kept changes. */
    public static final int KEPT = 4096;

    private static final int FIRST_LENGTH = 64;

    private String[] names;
    private long[] revisions;
    private boolean[] forAll;
    private int length;

    public ChangeLog() {
        this(new String[FIRST_LENGTH], new long[FIRST_LENGTH], new boolean[FIRST_LENGTH], 0);
    }

    private ChangeLog(String[] names, long[] revisions, boolean[] forAll, int length) {
        this.names = names;
        this.revisions = revisions;
        this.forAll = forAll;
        this.length = length;
    }

    /** An immutable view of the first changes of a log. */
    @SuppressWarnings(
            "ArrayRecordComponent") // shared between the looks at one log, and never written to below their length
    public record Part(String[] names, long[] revisions, boolean[] forAll, int length, long completeAfter) {

        public static final Part NONE = new Part(new String[0], new long[0], new boolean[0], 0, 0);

        String name(int index) {
            return names[index];
        }

        long revision(int index) {
            return revisions[index];
        }

        /** Whether the resource is or was part of the wildcard subscription. */
        boolean isForAll(int index) {
            return forAll[index];
        }
    }

    /** @param isForAll whether the resource is or was part of the wildcard subscription */
    public void append(String name, long revision, boolean isForAll) {
        if (length == names.length) {
            names = Arrays.copyOf(names, 2 * length);
            revisions = Arrays.copyOf(revisions, 2 * length);
            forAll = Arrays.copyOf(forAll, 2 * length);
        }
        names[length] = name;
        forAll[length] = isForAll;
        revisions[length++] = revision;
    }

    /** Without the older half once the log is full. */
    ChangeLog trimmed() {
        if (length < 2 * KEPT) {
            return this;
        }
        return new ChangeLog(
                Arrays.copyOfRange(names, length - KEPT, length + KEPT),
                Arrays.copyOfRange(revisions, length - KEPT, length + KEPT),
                Arrays.copyOfRange(forAll, length - KEPT, length + KEPT),
                KEPT);
    }

    public long oldest() {
        return revisions[0];
    }

    /** @param completeAfter the revision after which no change is missing */
    public Part part(long completeAfter) {
        return new Part(names, revisions, forAll, length, completeAfter);
    }
}
