package io.cairn.cli.migrate;

public enum ConflictRule {
    /** Leave both, report, and wait for an operator. */
    ASK,
    /** The later change, by the clocks of the servers. A change is newer than a deletion. */
    NEWEST,
    SOURCE,
    TARGET
}
