package io.cairn.server.naming;

import java.time.Duration;

/**
 * Time limits of the registry.
 *
 * @param emptyServiceExpiry after which a service without publishers is forgotten
 * @param overrideExpiry after which what an operator has set for an instance that is gone is forgotten
 * @param recoveryWindow for which instances known before a restart are handed out without their publishers being back
 * @param expireInstances whether instances that do not beat are removed; otherwise they stay, unhealthy
 */
public record NamingSettings(
        Duration emptyServiceExpiry, Duration overrideExpiry, Duration recoveryWindow, boolean expireInstances) {}
