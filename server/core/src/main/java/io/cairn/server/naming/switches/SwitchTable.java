package io.cairn.server.naming.switches;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.health.HealthCheckSettings;
import io.cairn.server.naming.switches.Switches.ServerStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All switches in the order of the JSON for operators' tools, with Nacos's names and limits. Each row has names in responses and
 * requests, initial value, limits and form. Rows without a constant are stored and shown for tools, without effect.
 */
final class SwitchTable {

    private static final String PUSH_VERSION = "pushVersion";

    private final List<Switch<?>> rows = new ArrayList<>();
    private final Map<String, Switch<?>> byName = new HashMap<>();
    /** By each name of a row. */
    private final Map<String, String> storedNames = new HashMap<>();

    private final Map<String, Switch<String>> pushVersions = new HashMap<>();
    private final HealthCheckSettings health = HealthCheckSettings.defaults();

    final Switch<Long> cacheMillis;
    final Switch<Long> beatIntervalMillis;
    final Switch<Boolean> healthChecks;
    final Switch<Boolean> pushEnabled;
    final Switch<Long> checkTimes;
    final Switch<HealthCheckSettings.Interval> httpChecks;
    final Switch<HealthCheckSettings.Interval> tcpChecks;
    final Switch<HealthCheckSettings.Interval> mysqlChecks;
    final Switch<Boolean> lightBeatEnabled;
    final Switch<Map<String, Integer>> limitedUrls;
    final Switch<Optional<ServerStatus>> overriddenStatus;
    final Switch<Boolean> ephemeralByDefault;

    SwitchTable() {
        row("masters", List.<String>of(), SwitchForms::list, SwitchForms::writeList, "masters");
        fixed("adWeightMap", "{}");
        cacheMillis = number(
                "defaultPushCacheMillis",
                10_000,
                10_000,
                "min cache time for http or tcp is too small(<10000)",
                "pushCacheMillis",
                "defaultPushCacheMillis");
        beatIntervalMillis = number("clientBeatInterval", 5_000, 1, "clientBeatInterval is too small(<1)");
        number("defaultCacheMillis", 3_000, 1_000, "min default cache time  is too small(<1000)");
        row("distroThreshold", 0.7, SwitchForms::threshold, JsonOutput::decimal, "distroThreshold");
        healthChecks = flag("healthCheckEnabled", health.enabled(), "check", "healthCheckEnabled");
        flag("autoChangeHealthCheckEnabled", true);
        flag("distroEnabled", true, "distro", "distroEnabled");
        flag("enableStandalone", true);
        pushEnabled = flag("pushEnabled", true);
        checkTimes = row(
                "checkTimes",
                (long) health.checkTimes(),
                SwitchForms::checkTimes,
                JsonOutput::number,
                "healthCheckTimes",
                "checkTimes");
        httpChecks = interval("httpHealthParams", health.http());
        tcpChecks = interval("tcpHealthParams", health.tcp());
        mysqlChecks = interval("mysqlHealthParams", health.mysql());
        fixed("incrementalList", "[]");
        period("serverStatusSynchronizationPeriodMillis", 2_000, 15_000);
        period("serviceStatusSynchronizationPeriodMillis", 5_000, 5_000);
        flag("disableAddIP", false);
        flag("sendBeatOnly", false);
        lightBeatEnabled = flag("lightBeatEnabled", true);
        limitedUrls = row("limitedUrlMap", Map.of(), SwitchForms::limits, SwitchForms::writeLimits, "limitedUrlMap");
        period("distroServerExpiredMillis", 10_000, 1);
        pushVersion("pushGoVersion", "go", "0.1.0");
        pushVersion("pushJavaVersion", "java", "0.1.0");
        pushVersion("pushPythonVersion", "python", "0.4.3");
        pushVersion("pushCVersion", "c", "1.0.12");
        pushVersion("pushCSharpVersion", "csharp", "0.9.0");
        fixed("enableAuthentication", "false");
        overriddenStatus = row(
                "overriddenServerStatus",
                Optional.empty(),
                SwitchForms::status,
                SwitchForms::writeStatus,
                "overriddenServerStatus");
        ephemeralByDefault = flag("defaultInstanceEphemeral", true);
        fixed("healthCheckWhiteList", "[]");
        fixed("name", "\"00-00---000-NACOS_SWITCH_DOMAIN-000---00-00\"");
        fixed("checksum", "null");
    }

    /** @param names in requests; stored under the first */
    private <T> Switch<T> row(
            String shownAs, T initial, Function<String, T> reader, Switch.Writer<T> writer, String... names) {
        Switch<T> row = new Switch<>(rows.size(), shownAs, initial, reader, writer);
        rows.add(row);
        for (String name : names) {
            byName.put(name, row);
            storedNames.put(name, names[0]);
        }
        return row;
    }

    /** A member with a constant value. */
    private void fixed(String shownAs, String json) {
        row(shownAs, json, text -> json, JsonOutput::json);
    }

    private Switch<Boolean> flag(String name, boolean initial) {
        return flag(name, initial, name);
    }

    private Switch<Boolean> flag(String shownAs, boolean initial, String... names) {
        return row(shownAs, initial, text -> SwitchForms.flag(names[0], text), JsonOutput::flag, names);
    }

    private void period(String name, long initial, long min) {
        number(name, initial, min, name + " is too small(<" + min + ")");
    }

    private Switch<Long> number(String name, long initial, long min, String otherwise) {
        return number(name, initial, min, otherwise, name);
    }

    /** @param otherwise refusal of a smaller value */
    private Switch<Long> number(String shownAs, long initial, long min, String otherwise, String... names) {
        return row(shownAs, initial, text -> SwitchForms.atLeast(text, min, otherwise), JsonOutput::number, names);
    }

    private Switch<HealthCheckSettings.Interval> interval(String name, HealthCheckSettings.Interval initial) {
        return row(name, initial, SwitchForms::interval, SwitchForms::writeInterval, name);
    }

    /** Set by one name, with a value that begins with the language. */
    private void pushVersion(String shownAs, String language, String initial) {
        pushVersions.put(language, row(shownAs, initial, SwitchForms::version, JsonOutput::text));
    }

    List<Switch<?>> rows() {
        return rows;
    }

    /** The row of that name and value, or null. */
    @Nullable
    Switch<?> find(String name, String value) {
        if (!isPushVersion(name)) {
            return byName.get(name);
        }
        // Nacos checks the version first, too.
        SwitchForms.version(value);
        Switch<String> row = pushVersions.get(language(value));
        if (row == null) {
            throw SwitchForms.invalid("unsupported client type: " + language(value));
        }
        return row;
    }

    /** The first version with UDP pushes for the language, or null. */
    @Nullable
    Switch<String> pushVersion(String language) {
        return pushVersions.get(language);
    }

    /** The same for all names of a row, so that the last value replaces the former, but separate for languages. */
    String storedName(String name, String value) {
        return name.equals(PUSH_VERSION) ? PUSH_VERSION + '.' + language(value) : storedNames.getOrDefault(name, name);
    }

    private static boolean isPushVersion(String name) {
        return name.equals(PUSH_VERSION) || name.startsWith(PUSH_VERSION + '.');
    }

    private static String language(String value) {
        int colon = value.indexOf(':');
        return colon < 0 ? value : value.substring(0, colon);
    }
}
