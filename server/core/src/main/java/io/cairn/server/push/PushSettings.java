package io.cairn.server.push;

import java.time.Duration;

/**
 * The retry settings of pushes.
 *
 * @param ackTimeout after which an unacknowledged push counts as failed
 * @param retryDelay before the first retry; the n-th retry waits n times as long
 * @param maxRetryDelay the longest delay
 * @param maxRetries after which the connection is closed, so that its client reconnects
 */
public record PushSettings(Duration ackTimeout, Duration retryDelay, Duration maxRetryDelay, int maxRetries) {}
