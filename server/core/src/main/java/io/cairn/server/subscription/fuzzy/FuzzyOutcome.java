package io.cairn.server.subscription.fuzzy;

/** What became of a wish to watch a pattern. */
public enum FuzzyOutcome {
    WATCHING,
    /** It is watched, but as many names match as are told, or more. */
    TOO_MANY_MATCHES,
    /** It is not watched: there are as many patterns as allowed. */
    TOO_MANY_PATTERNS
}
