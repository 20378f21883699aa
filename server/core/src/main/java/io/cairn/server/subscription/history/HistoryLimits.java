package io.cairn.server.subscription.history;

import java.time.Duration;

/**
 * The limits of the events of one node; the oldest end first.
 *
 * @param maxBytes of all files; 0 keeps no events
 */
public record HistoryLimits(Duration keep, long maxBytes) {}
