package io.cairn.server.naming;

import java.time.Duration;

/**
 * Limits of the registry.
 *
 * @param emptyServiceExpiry of a service without publishers
 * @param overrideExpiry of an absent instance's override
 * @param recoveryWindow of instances from before a restart
 * @param expireInstances whether to remove instances without heartbeats; else they stay, unhealthy
 * @param maxMetadata characters of an instance's keys and values
 */
public record NamingSettings(
        Duration emptyServiceExpiry,
        Duration overrideExpiry,
        Duration recoveryWindow,
        boolean expireInstances,
        int maxMetadata) {

    /** Nacos's default. */
    public static final int USUAL_METADATA = 1024;

    public NamingSettings(
            Duration emptyServiceExpiry, Duration overrideExpiry, Duration recoveryWindow, boolean expireInstances) {
        this(emptyServiceExpiry, overrideExpiry, recoveryWindow, expireInstances, USUAL_METADATA);
    }
}
