package io.cairn.server.push;

import java.time.Duration;

/**
 * How pushes are repeated.
 *
 * @param ackTimeout after which an unanswered push counts as failed
 * @param retryDelay before the first repetition; the n-th waits n times as long
 * @param maxRetryDelay the longest wait
 * @param maxRetries after which the connection is closed, so that its client starts anew
 */
public record PushSettings(Duration ackTimeout, Duration retryDelay, Duration maxRetryDelay, int maxRetries) {}
