package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.naming.health.HealthCheckSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings that operators may change at run time, with the names and limits of Nacos. Some entries are kept for
 * tools only: they are stored and shown, and nothing looks at them. Thread-safe.
 */
public final class Switches {

    private static final Logger log = LoggerFactory.getLogger(Switches.class);
    private static final int MIN_PUSH_CACHE_MILLIS = 10_000;
    private static final int MIN_CACHE_MILLIS = 1_000;
    private static final int MIN_SERVICE_STATUS_MILLIS = 5_000;
    private static final int MIN_SERVER_STATUS_MILLIS = 15_000;
    private static final int MAX_CHECK_TIMES = 100;

    private final List<Runnable> onPushResumed = new CopyOnWriteArrayList<>();
    /** Replaced with this object's lock held, so that no change is lost; read without it. */
    private volatile Values values = new Values();

    /** The state that an operator sets for the server, which overrides the real one. */
    public enum ServerStatus {
        UP,
        DOWN,
        STARTING,
        PAUSED,
        /** Nothing but changes is taken. */
        WRITE_ONLY,
        /** No changes are taken. */
        READ_ONLY
    }

    /** All entries. Never changed, but replaced as a whole. */
    private static final class Values implements Cloneable {

        private List<String> masters = List.of();
        private long pushCacheMillis = 10_000;
        private long beatIntervalMillis = 5_000;
        private long defaultCacheMillis = 3_000;
        private double distroThreshold = 0.7;
        private boolean autoChangeHealthCheckEnabled = true;
        private boolean distroEnabled = true;
        private boolean enableStandalone = true;
        private boolean pushEnabled = true;
        private HealthCheckSettings health = HealthCheckSettings.defaults();
        private long serverStatusMillis = 2_000;
        private long serviceStatusMillis = 5_000;
        private boolean disableAddIp;
        private boolean sendBeatOnly;
        private boolean lightBeatEnabled = true;
        private Map<String, Integer> limitedUrls = Map.of();
        private long distroServerExpiredMillis = 10_000;
        private Map<String, String> pushVersions =
                Map.of("go", "0.1.0", "java", "0.1.0", "python", "0.4.3", "c", "1.0.12", "csharp", "0.9.0");
        private @Nullable ServerStatus overriddenStatus;
        private boolean ephemeralByDefault = true;

        @Override
        protected Values clone() {
            try {
                return (Values) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @FunctionalInterface
    private interface Setting {
        void on(Values values);
    }

    // --- what the registry and its edges look at

    /** How long clients may keep a list before they ask again. */
    public long cacheMillis() {
        return values.pushCacheMillis;
    }

    /** How often HTTP clients beat that have no interval of their own. */
    public long beatIntervalMillis() {
        return values.beatIntervalMillis;
    }

    public boolean pushEnabled() {
        return values.pushEnabled;
    }

    /** Whether HTTP clients may leave out the description of their instance. */
    public boolean lightBeatEnabled() {
        return values.lightBeatEnabled;
    }

    /** Whether, how often and how strictly persistent instances are checked. */
    public HealthCheckSettings healthChecks() {
        return values.health;
    }

    /** The kind of an instance that is registered over HTTP without naming its kind. */
    public boolean ephemeralByDefault() {
        return values.ephemeralByDefault;
    }

    /** The state that the operator has set; null when there is none. */
    public @Nullable ServerStatus overriddenStatus() {
        return values.overriddenStatus;
    }

    /** Beginnings of paths with their query that are refused, each with the status it is answered with. */
    public Map<String, Integer> limitedUrls() {
        return values.limitedUrls;
    }

    /**
     * From which version on clients of that language take pushes over UDP.
     *
     * @param language such as {@code java}
     */
    public @Nullable String pushVersion(String language) {
        return values.pushVersions.get(language);
    }

    /** Calls this whenever pushing is switched on again. */
    public void whenPushResumes(Runnable action) {
        onPushResumed.add(action);
    }

    // --- changes

    /** Takes over a value that was stored. */
    void restore(String name, String value) {
        Setting setting;
        try {
            setting = setting(name, value);
        } catch (CairnException e) {
            log.warn("A stored switch is left out: {} = {} ({})", name, value, e.text());
            return;
        }
        if (setting == null) {
            // Written by a later version.
            return;
        }
        boolean resumed;
        synchronized (this) {
            Values changed = values.clone();
            setting.on(changed);
            resumed = changed.pushEnabled && !values.pushEnabled;
            values = changed;
        }
        if (resumed) {
            onPushResumed.forEach(Runnable::run);
        }
    }

    /**
     * The entries to be stored for that change; empty for an unknown entry.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the value is not one of that entry
     */
    Map<String, String> check(String name, String value) {
        if (setting(name, value) == null) {
            return Map.of();
        }
        // There is one entry for all languages, and what is stored of it must not be lost to the next one.
        return Map.of(
                name.equals("pushVersion") ? "pushVersion." + value.substring(0, value.indexOf(':')) : name, value);
    }

    private @Nullable Setting setting(String name, String value) {
        return switch (name) {
            case "distroThreshold" -> {
                double threshold = decimal(value);
                if (!(threshold > 0)) {
                    throw invalid("distroThreshold can not be zero or negative: " + value);
                }
                yield values -> values.distroThreshold = threshold;
            }
            case "clientBeatInterval" -> {
                long millis = atLeast(value, 1, "clientBeatInterval is too small(<1)");
                yield values -> values.beatIntervalMillis = millis;
            }
            case "pushCacheMillis", "defaultPushCacheMillis" -> {
                long millis =
                        atLeast(value, MIN_PUSH_CACHE_MILLIS, "min cache time for http or tcp is too small(<10000)");
                yield values -> values.pushCacheMillis = millis;
            }
            case "defaultCacheMillis" -> {
                long millis = atLeast(value, MIN_CACHE_MILLIS, "min default cache time  is too small(<1000)");
                yield values -> values.defaultCacheMillis = millis;
            }
            case "serviceStatusSynchronizationPeriodMillis" -> {
                long millis = atLeast(
                        value,
                        MIN_SERVICE_STATUS_MILLIS,
                        "serviceStatusSynchronizationPeriodMillis is too small(<5000)");
                yield values -> values.serviceStatusMillis = millis;
            }
            case "serverStatusSynchronizationPeriodMillis" -> {
                long millis = atLeast(
                        value,
                        MIN_SERVER_STATUS_MILLIS,
                        "serverStatusSynchronizationPeriodMillis is too small(<15000)");
                yield values -> values.serverStatusMillis = millis;
            }
            case "distroServerExpiredMillis" -> {
                long millis = atLeast(value, 1, "distroServerExpiredMillis is too small(<1)");
                yield values -> values.distroServerExpiredMillis = millis;
            }
            case "healthCheckTimes", "checkTimes" -> {
                long times = atLeast(value, 1, "healthCheckTimes is too small(<1)");
                if (times > MAX_CHECK_TIMES) {
                    throw invalid("healthCheckTimes is too large(>" + MAX_CHECK_TIMES + ")");
                }
                yield values -> values.health = new HealthCheckSettings(
                        (int) times,
                        values.health.enabled(),
                        values.health.tcp(),
                        values.health.http(),
                        values.health.mysql(),
                        values.health.grpc());
            }
            case "httpHealthParams" -> {
                HealthCheckSettings.Interval pace = pace(value);
                yield values -> values.health = new HealthCheckSettings(
                        values.health.checkTimes(),
                        values.health.enabled(),
                        values.health.tcp(),
                        pace,
                        values.health.mysql(),
                        pace);
            }
            case "tcpHealthParams" -> {
                HealthCheckSettings.Interval pace = pace(value);
                yield values -> values.health = new HealthCheckSettings(
                        values.health.checkTimes(),
                        values.health.enabled(),
                        pace,
                        values.health.http(),
                        values.health.mysql(),
                        values.health.grpc());
            }
            case "mysqlHealthParams" -> {
                HealthCheckSettings.Interval pace = pace(value);
                yield values -> values.health = new HealthCheckSettings(
                        values.health.checkTimes(),
                        values.health.enabled(),
                        values.health.tcp(),
                        values.health.http(),
                        pace,
                        values.health.grpc());
            }
            case "masters" -> {
                List<String> masters = split(value);
                yield values -> values.masters = masters;
            }
            case "limitedUrlMap" -> {
                Map<String, Integer> limited = limits(value);
                yield values -> values.limitedUrls = limited;
            }
            case "overriddenServerStatus" -> {
                ServerStatus status = status(value);
                yield values -> values.overriddenStatus = status;
            }
            default -> name.startsWith("pushVersion") ? pushVersion(name, value) : flagSetting(name, value);
        };
    }

    private static @Nullable Setting flagSetting(String name, String value) {
        boolean flag = Boolean.parseBoolean(value.trim());
        Setting setting =
                switch (name) {
                    case "distro" -> values -> values.distroEnabled = flag;
                    case "check" ->
                        values -> values.health = new HealthCheckSettings(
                                values.health.checkTimes(),
                                flag,
                                values.health.tcp(),
                                values.health.http(),
                                values.health.mysql(),
                                values.health.grpc());
                    case "pushEnabled" -> values -> values.pushEnabled = flag;
                    case "disableAddIP" -> values -> values.disableAddIp = flag;
                    case "sendBeatOnly" -> values -> values.sendBeatOnly = flag;
                    case "enableStandalone" -> values -> values.enableStandalone = flag;
                    case "defaultInstanceEphemeral" -> values -> values.ephemeralByDefault = flag;
                    case "lightBeatEnabled" -> values -> values.lightBeatEnabled = flag;
                    case "autoChangeHealthCheckEnabled" -> values -> values.autoChangeHealthCheckEnabled = flag;
                    default -> null;
                };
        if (setting != null
                && !value.trim().equalsIgnoreCase("true")
                && !value.trim().equalsIgnoreCase("false")) {
            throw invalid(name + ": '" + value + "' (expected: true or false)");
        }
        return setting;
    }

    private static @Nullable Setting pushVersion(String name, String value) {
        if (!name.equals("pushVersion") && !name.startsWith("pushVersion.")) {
            return null;
        }
        int colon = value.indexOf(':');
        String language = colon < 0 ? value : value.substring(0, colon);
        String version = colon < 0 ? "" : value.substring(colon + 1);
        if (!version.matches("[0-9]+\\.[0-9]+\\.[0-9]+")) {
            throw invalid("illegal version, must match: [0-9]+\\.[0-9]+\\.[0-9]+");
        }
        if (!List.of("java", "python", "c", "go", "csharp").contains(language)) {
            throw invalid("unsupported client type: " + language);
        }
        return values -> {
            Map<String, String> versions = new HashMap<>(values.pushVersions);
            versions.put(language, version);
            values.pushVersions = Map.copyOf(versions);
        };
    }

    private static double decimal(String value) {
        try {
            return Double.parseDouble(value.trim());
        } catch (NumberFormatException e) {
            throw invalid("For input string: \"" + value + '"');
        }
    }

    private static long atLeast(String value, long min, String otherwise) {
        long number;
        try {
            number = Long.parseLong(value.trim());
        } catch (NumberFormatException e) {
            throw invalid("For input string: \"" + value + '"');
        }
        if (number < min) {
            throw invalid(otherwise);
        }
        return number;
    }

    private static HealthCheckSettings.Interval pace(String value) {
        try {
            return JsonInput.read(value, in -> {
                int max = 0;
                int min = 0;
                double factor = -1;
                for (String name = in.nextField(); name != null; name = in.nextField()) {
                    switch (name) {
                        case "max" -> max = in.number(0);
                        case "min" -> min = in.number(0);
                        case "factor" -> factor = in.decimal(-1);
                        default -> in.skip();
                    }
                }
                return new HealthCheckSettings.Interval(Duration.ofMillis(max), Duration.ofMillis(min), factor);
            });
        } catch (MalformedMessageException | IllegalArgumentException e) {
            throw invalid("'" + value + "': " + e.getMessage()
                    + " (expected: a JSON object with max and min in ms and a factor of 0-1)");
        }
    }

    private static List<String> split(String value) {
        List<String> parts = new ArrayList<>();
        for (String part : value.split(",")) {
            if (!part.isBlank()) {
                parts.add(part.trim());
            }
        }
        return List.copyOf(parts);
    }

    /** Pairs of the beginning of a path and a status, {@code /path:502,/other:403}. */
    private static Map<String, Integer> limits(String value) {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (String entry : split(value)) {
            int colon = entry.lastIndexOf(':');
            String url = colon < 0 ? "" : entry.substring(0, colon);
            long status = colon < 0 ? 0 : atLeast(entry.substring(colon + 1), 400, "illegal return code: " + entry);
            if (!url.startsWith("/") || status > 599) {
                throw invalid("limitedUrlMap: '" + entry + "' (expected: a path, a colon and a status of 400-599)");
            }
            limits.put(url, (int) status);
        }
        return Map.copyOf(limits);
    }

    private static @Nullable ServerStatus status(String value) {
        String name = value.trim().toUpperCase(Locale.ROOT);
        if (name.isEmpty() || name.equals("NULL")) {
            return null;
        }
        for (ServerStatus status : ServerStatus.values()) {
            if (status.name().equals(name)) {
                return status;
            }
        }
        throw invalid("overriddenServerStatus: '" + value + "' (expected: one of " + List.of(ServerStatus.values())
                + ", or nothing)");
    }

    private static CairnException invalid(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    // --- for those who show them

    /** Everything, as the JSON that operators' tools read. */
    public byte[] toJson() {
        Values now = values;
        JsonOutput out = new JsonOutput(1536);
        if (now.masters.isEmpty()) {
            out.json("masters", "null");
        } else {
            out.textList("masters", now.masters);
        }
        out.json("adWeightMap", "{}")
                .number("defaultPushCacheMillis", now.pushCacheMillis)
                .number("clientBeatInterval", now.beatIntervalMillis)
                .number("defaultCacheMillis", now.defaultCacheMillis)
                .decimal("distroThreshold", now.distroThreshold)
                .flag("healthCheckEnabled", now.health.enabled())
                .flag("autoChangeHealthCheckEnabled", now.autoChangeHealthCheckEnabled)
                .flag("distroEnabled", now.distroEnabled)
                .flag("enableStandalone", now.enableStandalone)
                .flag("pushEnabled", now.pushEnabled)
                .number("checkTimes", now.health.checkTimes())
                .json("httpHealthParams", pace(now.health.http()))
                .json("tcpHealthParams", pace(now.health.tcp()))
                .json("mysqlHealthParams", pace(now.health.mysql()))
                .json("incrementalList", "[]")
                .number("serverStatusSynchronizationPeriodMillis", now.serverStatusMillis)
                .number("serviceStatusSynchronizationPeriodMillis", now.serviceStatusMillis)
                .flag("disableAddIP", now.disableAddIp)
                .flag("sendBeatOnly", now.sendBeatOnly)
                .flag("lightBeatEnabled", now.lightBeatEnabled)
                .json("limitedUrlMap", limits(now.limitedUrls))
                .number("distroServerExpiredMillis", now.distroServerExpiredMillis)
                .text("pushGoVersion", now.pushVersions.get("go"))
                .text("pushJavaVersion", now.pushVersions.get("java"))
                .text("pushPythonVersion", now.pushVersions.get("python"))
                .text("pushCVersion", now.pushVersions.get("c"))
                .text("pushCSharpVersion", now.pushVersions.get("csharp"))
                .flag("enableAuthentication", false);
        if (now.overriddenStatus == null) {
            out.json("overriddenServerStatus", "null");
        } else {
            out.text("overriddenServerStatus", now.overriddenStatus.name());
        }
        return out.flag("defaultInstanceEphemeral", now.ephemeralByDefault)
                .json("healthCheckWhiteList", "[]")
                .text("name", "00-00---000-NACOS_SWITCH_DOMAIN-000---00-00")
                .json("checksum", "null")
                .toBytes();
    }

    private static byte[] pace(HealthCheckSettings.Interval pace) {
        return new JsonOutput(64)
                .number("max", pace.max().toMillis())
                .number("min", pace.min().toMillis())
                .decimal("factor", pace.factor())
                .toBytes();
    }

    private static byte[] limits(Map<String, Integer> limits) {
        // A path is not the name of a field, so it is written as one that is escaped.
        StringBuilder json = new StringBuilder("{");
        limits.forEach((url, status) -> json.append(json.length() > 1 ? "," : "")
                .append(quoted(url))
                .append(':')
                .append(status));
        return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String quoted(String text) {
        String object =
                new String(new JsonOutput(text.length() + 16).text("k", text).toBytes(), StandardCharsets.UTF_8);
        return object.substring("{\"k\":".length(), object.length() - 1);
    }
}
