package io.cairn.server.connection;

import java.time.Duration;

/**
 * How long a client may be silent, and how many there may be.
 *
 * @param silence after which a client is asked whether it is there
 * @param detectionTimeout within which it must answer
 * @param maxConnections that may be set up at the same time
 */
public record ConnectionSettings(Duration silence, Duration detectionTimeout, int maxConnections) {}
