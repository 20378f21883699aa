package io.cairn.server.naming;

import java.time.Duration;

/**
 * Limits of the registry.
 *
 * @param emptyServiceExpiry after which a service without publishers is forgotten
 * @param overrideExpiry after which what an operator has set for an instance that is gone is forgotten
 * @param recoveryWindow for which instances known before a restart are handed out without their publishers being back
 * @param expireInstances whether instances that do not beat are removed; otherwise they stay, unhealthy
 * @param maxMetadata the characters of all keys and values of an instance's metadata
 */
public record NamingSettings(
        Duration emptyServiceExpiry,
        Duration overrideExpiry,
        Duration recoveryWindow,
        boolean expireInstances,
        int maxMetadata) {

    /** As Nacos has it unless told otherwise. */
    public static final int USUAL_METADATA = 1024;

    /** With the usual limit of metadata. */
    public NamingSettings(
            Duration emptyServiceExpiry, Duration overrideExpiry, Duration recoveryWindow, boolean expireInstances) {
        this(emptyServiceExpiry, overrideExpiry, recoveryWindow, expireInstances, USUAL_METADATA);
    }
}
