package io.cairn.server.config.capacity;

import io.cairn.server.config.CapacityScope;

/**
 * A capacity and how much of it is used.
 *
 * @param capacity with all its numbers, the defaults included
 * @param used configurations at the moment
 */
public record CapacityUse(CapacityScope scope, Capacity capacity, long used) {}
