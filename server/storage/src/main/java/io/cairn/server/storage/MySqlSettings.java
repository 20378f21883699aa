package io.cairn.server.storage;

import java.time.Duration;
import java.util.List;

/**
 * Where MySQL or MariaDB is.
 *
 * @param sources addresses of the same data, of which one can be written; at least one
 */
public record MySqlSettings(List<Source> sources, Pool pool) {

    public MySqlSettings {
        sources = List.copyOf(sources);
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("sources: none (expected: at least one)");
        }
    }

    /**
     * One address.
     *
     * @param url {@code jdbc:mysql://host:port/database?option=value}
     */
    public record Source(String url, String user, String password) {

        /** Without the password, and without the options of the URL, which may hold one. */
        @Override
        public String toString() {
            int options = url.indexOf('?');
            return options < 0 ? url : url.substring(0, options);
        }
    }

    /**
     * Connections that read.
     *
     * @param connectionTimeout for which a reader waits for one
     * @param validationTimeout within which one must show that it is alive
     * @param maximum open at the same time
     * @param minimumIdle kept open
     */
    public record Pool(Duration connectionTimeout, Duration validationTimeout, int maximum, int minimumIdle) {

        /** The pool that Nacos uses without settings. */
        public static final Pool DEFAULT = new Pool(Duration.ofSeconds(30), Duration.ofSeconds(10), 20, 2);
    }
}
