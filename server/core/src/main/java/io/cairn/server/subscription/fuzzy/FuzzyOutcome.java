package io.cairn.server.subscription.fuzzy;

/** The result of a request to watch a pattern. */
public enum FuzzyOutcome {
    WATCHING,
    /** The pattern is watched, but the number of matching names has reached the maximum that is sent. */
    TOO_MANY_MATCHES,
    /** The pattern is not watched: the maximum number of patterns is reached. */
    TOO_MANY_PATTERNS
}
