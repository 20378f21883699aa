package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * @param capacity with defaults filled in
 * @param used present number of configurations
 */
public record CapacityUse(CapacityScope scope, Capacity capacity, long used) {}
