package io.cairn.server.naming.switches;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.health.HealthCheckSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings that operators may change at run time; {@link SwitchTable} has names, limits and forms. */
public final class Switches {

    private static final Logger log = LoggerFactory.getLogger(Switches.class);
    private static final SwitchTable TABLE = new SwitchTable();

    private final List<Runnable> onPushResumed = new CopyOnWriteArrayList<>();
    /** Replaced with this lock held, so that no change is lost; read without it. */
    private volatile Values values = Values.initial();

    /** The server's state, if an operator sets it. */
    public enum ServerStatus {
        UP,
        DOWN,
        STARTING,
        PAUSED,
        /** Accepts only changes. */
        WRITE_ONLY,
        /** Accepts no changes. */
        READ_ONLY
    }

    /** All values, immutable and replaced as a whole. */
    private static final class Values {

        private final Object[] byIndex;
        /** Read for each list, so without look-up and unboxing. */
        private final long cacheMillis;
        /** Made once for each change, because every check reads it. */
        private final HealthCheckSettings health;

        private Values(Object[] byIndex) {
            this.byIndex = byIndex;
            this.cacheMillis = get(TABLE.cacheMillis);
            HealthCheckSettings.Interval http = get(TABLE.httpChecks);
            // HTTP and gRPC have one switch.
            this.health = new HealthCheckSettings(
                    get(TABLE.checkTimes).intValue(),
                    get(TABLE.healthChecks),
                    get(TABLE.tcpChecks),
                    http,
                    get(TABLE.mysqlChecks),
                    http);
        }

        static Values initial() {
            return new Values(TABLE.rows().stream().map(Switch::initial).toArray());
        }

        @SuppressWarnings("unchecked") // Each row has its own value at its own index
        <T> T get(Switch<T> row) {
            return (T) byIndex[row.index()];
        }

        <T> Values with(Switch<T> row, String text) {
            Object[] changed = byIndex.clone();
            changed[row.index()] = row.read(text);
            return new Values(changed);
        }

        <T> void write(Switch<T> row, JsonOutput out) {
            row.write(out, get(row));
        }
    }

    /** Clients' cache time of a list. */
    public long cacheMillis() {
        return values.cacheMillis;
    }

    /** The default interval of HTTP clients' heartbeats. */
    public long beatIntervalMillis() {
        return values.get(TABLE.beatIntervalMillis);
    }

    public boolean pushEnabled() {
        return values.get(TABLE.pushEnabled);
    }

    /** Whether heartbeats may omit the instance's description. */
    public boolean lightBeatEnabled() {
        return values.get(TABLE.lightBeatEnabled);
    }

    /** The settings of persistent instances' checks. */
    public HealthCheckSettings healthChecks() {
        return values.health;
    }

    /** The default kind of an HTTP registration. */
    public boolean ephemeralByDefault() {
        return values.get(TABLE.ephemeralByDefault);
    }

    /** The operator's state, or null. */
    public @Nullable ServerStatus overriddenStatus() {
        return values.get(TABLE.overriddenStatus).orElse(null);
    }

    /** Refused path prefixes, with their status. */
    public Map<String, Integer> limitedUrls() {
        return values.get(TABLE.limitedUrls);
    }

    /**
     * The first version with UDP pushes.
     *
     * @param language such as {@code java}
     */
    public @Nullable String pushVersion(String language) {
        Switch<String> row = TABLE.pushVersion(language);
        return row == null ? null : values.get(row);
    }

    /** Called when pushing is switched on again. */
    public void whenPushResumes(Runnable action) {
        onPushResumed.add(action);
    }

    /** Adopts a stored value. */
    public void restore(String name, String value) {
        boolean resumed;
        try {
            Switch<?> row = TABLE.find(name, value);
            if (row == null) {
                // Written by a later version.
                return;
            }
            synchronized (this) {
                Values changed = values.with(row, value);
                resumed = changed.get(TABLE.pushEnabled) && !values.get(TABLE.pushEnabled);
                values = changed;
            }
        } catch (CairnException e) {
            log.warn("A stored switch is left out: {} = {} ({})", name, value, e.text());
            return;
        }
        if (resumed) {
            onPushResumed.forEach(Runnable::run);
        }
    }

    /**
     * The entries to store; empty for an unknown one.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for an invalid value
     */
    public Map<String, String> check(String name, String value) {
        Switch<?> row = TABLE.find(name, value);
        if (row == null) {
            return Map.of();
        }
        values.with(row, value);
        return Map.of(TABLE.storedName(name, value), value);
    }

    /** For operators' tools. */
    public byte[] toJson() {
        Values now = values;
        JsonOutput out = new JsonOutput(1536);
        for (Switch<?> row : TABLE.rows()) {
            now.write(row, out);
        }
        return out.toBytes();
    }
}
