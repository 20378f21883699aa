package io.cairn.server.connection;

import java.time.Duration;

/**
 * @param silence after which a client gets a detection
 * @param detectionTimeout of its answer
 * @param maxConnections at the same time
 */
public record ConnectionSettings(Duration silence, Duration detectionTimeout, int maxConnections) {}
