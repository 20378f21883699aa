package io.cairn.server.subscription.fuzzy;

/**
 * How much may be watched by patterns.
 *
 * @param patterns different ones that this server takes
 * @param matches names that are told for one pattern; further ones are not, until others go
 */
public record FuzzyLimits(int patterns, int matches) {}
