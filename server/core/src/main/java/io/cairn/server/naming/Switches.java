package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.health.HealthCheckSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings that operators may change at run time; their names, limits and forms stand in {@link SwitchTable}. Thread-safe. */
public final class Switches {

    private static final Logger log = LoggerFactory.getLogger(Switches.class);
    private static final SwitchTable TABLE = new SwitchTable();

    private final List<Runnable> onPushResumed = new CopyOnWriteArrayList<>();
    /** Replaced with this object's lock held, so that no change is lost; read without it. */
    private volatile Values values = Values.initial();

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

    /** The values of all switches. Never changed, but replaced as a whole. */
    private static final class Values {

        private final Object[] byIndex;
        /** Read for each list, so without a look-up and an unboxing. */
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

        @SuppressWarnings("unchecked") // each row has put its own value at its own place
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

    /** How long clients may keep a list before they ask again. */
    public long cacheMillis() {
        return values.cacheMillis;
    }

    /** How often HTTP clients beat that have no interval of their own. */
    public long beatIntervalMillis() {
        return values.get(TABLE.beatIntervalMillis);
    }

    public boolean pushEnabled() {
        return values.get(TABLE.pushEnabled);
    }

    /** Whether HTTP clients may leave out the description of their instance. */
    public boolean lightBeatEnabled() {
        return values.get(TABLE.lightBeatEnabled);
    }

    /** Whether, how often and how strictly persistent instances are checked. */
    public HealthCheckSettings healthChecks() {
        return values.health;
    }

    /** The kind of an instance that is registered over HTTP without naming its kind. */
    public boolean ephemeralByDefault() {
        return values.get(TABLE.ephemeralByDefault);
    }

    /** The state that the operator has set; null when there is none. */
    public @Nullable ServerStatus overriddenStatus() {
        return values.get(TABLE.overriddenStatus).orElse(null);
    }

    /** Beginnings of paths with their query that are refused, each with the status it is answered with. */
    public Map<String, Integer> limitedUrls() {
        return values.get(TABLE.limitedUrls);
    }

    /**
     * From which version on clients of that language take pushes over UDP.
     *
     * @param language such as {@code java}
     */
    public @Nullable String pushVersion(String language) {
        Switch<String> row = TABLE.pushVersion(language);
        return row == null ? null : values.get(row);
    }

    /** Calls this whenever pushing is switched on again. */
    public void whenPushResumes(Runnable action) {
        onPushResumed.add(action);
    }

    /** Takes over a value that was stored. */
    void restore(String name, String value) {
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
     * The entries to be stored for that change; empty for an unknown entry.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the value is not one of that entry
     */
    Map<String, String> check(String name, String value) {
        Switch<?> row = TABLE.find(name, value);
        if (row == null) {
            return Map.of();
        }
        values.with(row, value);
        return Map.of(TABLE.storedName(name, value), value);
    }

    /** Everything, as the JSON that operators' tools read. */
    public byte[] toJson() {
        Values now = values;
        JsonOutput out = new JsonOutput(1536);
        for (Switch<?> row : TABLE.rows()) {
            now.write(row, out);
        }
        return out.toBytes();
    }
}
