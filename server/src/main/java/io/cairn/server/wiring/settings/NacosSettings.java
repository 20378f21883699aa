package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.capacity.CapacityLimits;
import io.cairn.server.naming.NamingSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/**
 * The settings shared with Nacos, under the names of 2.x and 3.x.
 *
 * @param address of the HTTP port; loopback by default
 * @param contextPath before all paths of the HTTP API, without a final slash
 * @param maxPushRetries of a push before its receiver is disconnected
 * @param maxMessageBytes of one gRPC message
 * @param capacity default limits of configurations
 * @param historyDays of the history of configurations
 * @param maxGrayReleases of one configuration
 * @param functionMode {@code config}, {@code naming}, or null for both
 */
public record NacosSettings(
        InetSocketAddress address,
        String contextPath,
        int maxPushRetries,
        int maxMessageBytes,
        @Nullable String functionMode,
        String serverIp,
        int historyDays,
        int maxGrayReleases,
        Naming naming,
        FuzzyConfigs fuzzyConfigs,
        CapacityLimits capacity) {

    /**
     * @param emptyServiceExpiry of a service without publishers
     * @param overrideExpiry of settings of an absent instance
     * @param expireInstances whether instances without heartbeats are removed
     * @param maxMetadata characters of all keys and values of an instance
     * @param prometheusTargets whether Prometheus may discover instances
     * @param pushAckTimeout after which an unacknowledged push failed
     * @param pushRetryDelay before the retry
     * @param fuzzyPatterns watched patterns
     * @param fuzzyMatches services notified for one pattern
     */
    public record Naming(
            Duration emptyServiceExpiry,
            Duration overrideExpiry,
            boolean expireInstances,
            int maxMetadata,
            boolean prometheusTargets,
            Duration pushAckTimeout,
            Duration pushRetryDelay,
            int fuzzyPatterns,
            int fuzzyMatches) {}

    /**
     * @param patterns watched patterns
     * @param matches configurations notified for one pattern
     * @param batchSize configurations in one message of a comparison
     */
    public record FuzzyConfigs(int patterns, int matches, int batchSize) {}

    private static final int GRPC_OFFSET = 1000;
    /** Every subscriber receives the metadata of all instances. */
    private static final int MAX_METADATA = 1_000_000;

    private static final Set<String> ON = Set.of("true", "on", "yes", "1");

    private static final Set<String> OFF = Set.of("false", "off", "no", "0");

    public static NacosSettings read(Environment environment) {
        int port = number(environment, 8848, 0, 65535 - GRPC_OFFSET, "server.port", "nacos.server.main.port");
        String host = first(environment, "server.address");
        // A server with login may listen on the network; without it, only expressly.
        InetAddress address = address(host == null && AuthSettings.isAskedFor(environment) ? "0.0.0.0" : host);
        return new NacosSettings(
                new InetSocketAddress(address, port),
                contextPath(first(
                        environment,
                        "server.servlet.contextPath",
                        "server.servlet.context-path",
                        "nacos.server.contextPath")),
                number(environment, 50, 0, 1_000_000, "nacos.config.push.maxRetryTime"),
                number(
                        environment,
                        10 * 1024 * 1024,
                        1024,
                        Integer.MAX_VALUE,
                        "nacos.remote.server.grpc.sdk.max-inbound-message-size",
                        "nacos.remote.server.grpc.maxinbound.message.size"),
                first(environment, "nacos.functionMode"),
                ownIp(address, first(environment, "nacos.inetutils.ip-address")),
                number(environment, 30, 1, 36_500, "nacos.config.retention.days"),
                number(environment, 10, 1, 1_000, "nacos.config.gray.version.max.count"),
                naming(environment),
                new FuzzyConfigs(
                        number(environment, 20, 0, 1_000_000, "nacos.config.fuzzy.watch.max.pattern.count"),
                        number(
                                environment,
                                500,
                                1,
                                1_000_000,
                                "nacos.config.fuzzy.watch.max.pattern.match.config.count"),
                        number(environment, 20, 1, 10_000, "nacos.config.push.batchSize")),
                capacity(environment));
    }

    private static CapacityLimits capacity(Environment environment) {
        CapacityLimits ifAbsent = CapacityLimits.DEFAULT;
        return new CapacityLimits(
                flag(environment, ifAbsent.isEnforced(), "isCapacityLimitCheck"),
                positive(environment, ifAbsent.clusterQuota(), "defaultClusterQuota"),
                positive(environment, ifAbsent.groupQuota(), "defaultGroupQuota"),
                positive(environment, ifAbsent.namespaceQuota(), "defaultTenantQuota"),
                positive(environment, ifAbsent.maxSizeBytes(), "defaultMaxSize"),
                positive(environment, ifAbsent.maxAggrCount(), "defaultMaxAggrCount"),
                positive(environment, ifAbsent.maxAggrSize(), "defaultMaxAggrSize"));
    }

    private static int positive(Environment environment, int ifAbsent, String key) {
        return number(environment, ifAbsent, 1, Integer.MAX_VALUE, key);
    }

    private static Naming naming(Environment environment) {
        return new Naming(
                millis(environment, 60_000, "nacos.naming.clean.empty-service.expired-time"),
                millis(environment, 60_000, "nacos.naming.clean.expired-metadata.expired-time"),
                flag(environment, true, "nacos.naming.expireInstance"),
                number(
                        environment,
                        NamingSettings.USUAL_METADATA,
                        1,
                        MAX_METADATA,
                        "nacos.naming.service.metadata.length"),
                flag(environment, false, "nacos.prometheus.metrics.enabled"),
                millis(environment, 5_000, "nacos.naming.push.pushTaskTimeout"),
                millis(environment, 1_000, "nacos.naming.push.pushTaskRetryDelay"),
                number(environment, 20, 0, 1_000_000, "nacos.naming.fuzzy.watch.max.pattern.count"),
                number(environment, 500, 1, 1_000_000, "nacos.naming.fuzzy.watch.max.pattern.match.service.count"));
    }

    private static Duration millis(Environment environment, int ifAbsent, String key) {
        return Duration.ofMillis(number(environment, ifAbsent, 1, Integer.MAX_VALUE, key));
    }

    static boolean flag(Environment environment, boolean ifAbsent, String... keys) {
        String text = first(environment, keys);
        if (text == null) {
            return ifAbsent;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        if (ON.contains(lower) || OFF.contains(lower)) {
            return ON.contains(lower);
        }
        throw refusal(firstKey(environment, keys) + ": " + text + " (expected: true or false)");
    }

    private static String contextPath(@Nullable String configured) {
        if (configured == null) {
            return "/nacos";
        }
        String path = configured.startsWith("/") || configured.isEmpty() ? configured : '/' + configured;
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static InetAddress address(@Nullable String host) {
        try {
            return InetAddress.getAllByName(host == null ? "127.0.0.1" : host)[0];
        } catch (UnknownHostException e) {
            throw refusal("server.address: '" + host + "' (expected: an address of this machine, or 0.0.0.0)");
        }
    }

    private static String ownIp(InetAddress address, @Nullable String configured) {
        if (configured != null) {
            return configured;
        }
        if (!address.isAnyLocalAddress()) {
            return address.getHostAddress();
        }
        try {
            return InetAddress.getLocalHost().getHostAddress();
        } catch (UnknownHostException e) {
            return "127.0.0.1";
        }
    }

    static int number(Environment environment, int ifAbsent, int min, int max, String... keys) {
        String text = first(environment, keys);
        if (text == null) {
            return ifAbsent;
        }
        try {
            int number = Integer.parseInt(text.trim());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, with numbers out of range.
        }
        throw refusal(firstKey(environment, keys) + ": " + text + " (expected: " + min + "-" + max + ")");
    }

    static @Nullable String first(Environment environment, String... keys) {
        String key = firstKey(environment, keys);
        return key == null ? null : value(environment, key);
    }

    static @Nullable String firstKey(Environment environment, String... keys) {
        for (String key : keys) {
            if (value(environment, key) != null) {
                return key;
            }
        }
        return null;
    }

    static @Nullable String value(Environment environment, String key) {
        try {
            String value = environment.getProperty(key);
            return value == null || value.isBlank() ? null : value.trim();
        } catch (ConversionException | IllegalArgumentException e) {
            throw refusal(key + ": " + e.getMessage());
        }
    }

    public static CairnException refusal(String message) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, message);
    }

    /** Clients expect gRPC at this address. */
    public InetSocketAddress grpcAddress(int boundHttpPort) {
        return new InetSocketAddress(address.getAddress(), boundHttpPort + GRPC_OFFSET);
    }
}
