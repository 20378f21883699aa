package io.cairn.server.subscription.fuzzy;

/** The result of a request to watch a pattern. */
public enum FuzzyOutcome {
    WATCHING,
    /** The pattern is watched, and its names have reached the limit. */
    TOO_MANY_MATCHES,
    /** The limit of patterns is reached, and the pattern is not watched. */
    TOO_MANY_PATTERNS
}
