package io.cairn.cli.migrate;

/** @param priority of a rule of Cairn; 0 for the others, whose order is fixed */
public record GrayRelease(String kind, String name, String rule, int priority, String content) {

    public static final String BETA = "beta";
    public static final String TAG = "tag";

    public GrayRelease {
        priority = kind.equals(BETA) || kind.equals(TAG) ? 0 : priority;
    }

    public GrayRelease(String kind, String name, String rule, String content) {
        this(kind, name, rule, 0, content);
    }

    /** Whether only Cairn has such releases. */
    public boolean isOfCairn() {
        return !kind.equals(BETA) && !kind.equals(TAG);
    }
}
