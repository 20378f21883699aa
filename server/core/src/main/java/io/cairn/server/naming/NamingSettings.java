package io.cairn.server.naming;

import java.time.Duration;

/**
 * Limits of the registry.
 *
 * @param emptyServiceExpiry after which a service without publishers is removed
 * @param overrideExpiry after which the override of an instance that is no longer registered is removed
 * @param recoveryWindow for which instances from before a restart are listed without their publishers
 * @param expireInstances whether instances without heartbeats are removed; otherwise they stay, unhealthy
 * @param maxMetadata the characters of all keys and values of an instance's metadata
 */
public record NamingSettings(
        Duration emptyServiceExpiry,
        Duration overrideExpiry,
        Duration recoveryWindow,
        boolean expireInstances,
        int maxMetadata) {

    /** The default of Nacos. */
    public static final int USUAL_METADATA = 1024;

    /** With the usual limit of metadata. */
    public NamingSettings(
            Duration emptyServiceExpiry, Duration overrideExpiry, Duration recoveryWindow, boolean expireInstances) {
        this(emptyServiceExpiry, overrideExpiry, recoveryWindow, expireInstances, USUAL_METADATA);
    }
}
