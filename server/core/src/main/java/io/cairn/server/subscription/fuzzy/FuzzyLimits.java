package io.cairn.server.subscription.fuzzy;

/**
 * @param patterns of this server
 * @param matches names sent for one pattern; further ones follow when others are removed
 */
public record FuzzyLimits(int patterns, int matches) {}
