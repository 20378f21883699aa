package io.cairn.server.wiring.settings;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The settings that must agree on all nodes. Their names belong to the digest, so a release with a new one differs from its
 * predecessor during an upgrade.
 */
public final class CommonSettings {

    private CommonSettings() {}

    /** @param issuer and directory: of {@link OidcSettings#common} and {@link LdapSettings#common} */
    public static long digest(
            CairnProperties properties,
            NacosSettings settings,
            AuthSettings auth,
            ClusterProperties cluster,
            Map<String, Object> issuer,
            Map<String, Object> directory) {
        Map<String, Object> values = new TreeMap<>(issuer);
        values.putAll(directory);
        values.put("server.servlet.contextPath", settings.contextPath());
        values.put("nacos.core.auth.enabled", auth.enabled());
        if (auth.isStaged()) {
            values.put("nacos.core.auth", new TreeSet<>(auth.closed()));
        }
        values.put("cairn.config.max-content", properties.config().maxContent());
        values.put("cairn.config.validation", properties.config().validation());
        values.put("cairn.naming.recovery-window", properties.naming().recoveryWindow());
        values.put("nacos.naming.expireInstance", settings.naming().expireInstances());
        values.put("nacos.naming.service.metadata.length", settings.naming().maxMetadata());
        values.put("nacos.config.gray.version.max.count", settings.maxGrayReleases());
        values.put("nacos.config.retention.days", settings.historyDays());
        values.put("isCapacityLimitCheck", settings.capacity().isEnforced());
        values.put("cairn.cluster.failure-timeout", cluster.failureTimeout());
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(values.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
