package io.cairn.server.subscription.fuzzy;

/**
 * The limits of fuzzy watches.
 *
 * @param patterns maximum different patterns of this server
 * @param matches maximum names that are sent for one pattern; further ones are sent when others are removed
 */
public record FuzzyLimits(int patterns, int matches) {}
