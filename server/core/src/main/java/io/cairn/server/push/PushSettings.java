package io.cairn.server.push;

import java.time.Duration;

/**
 * @param ackTimeout after which an unacknowledged push failed
 * @param retryDelay before the first retry; the n-th waits n times as long
 * @param maxRetryDelay the longest delay
 * @param maxRetries before the connection is closed, so that its client reconnects
 */
public record PushSettings(Duration ackTimeout, Duration retryDelay, Duration maxRetryDelay, int maxRetries) {}
