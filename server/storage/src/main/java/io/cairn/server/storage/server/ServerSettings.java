package io.cairn.server.storage.server;

import java.time.Duration;
import java.util.List;

/** @param sources of the same data, one of them writable; at least one */
public record ServerSettings(List<Source> sources, Pool pool) {

    public ServerSettings {
        sources = List.copyOf(sources);
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("sources: none (expected: at least one)");
        }
    }

    /** @param url {@code jdbc:product://host:port/database?option=value} */
    public record Source(String url, String user, String password) {

        /** Without password and URL options, which may have one. */
        @Override
        public String toString() {
            int options = url.indexOf('?');
            return options < 0 ? url : url.substring(0, options);
        }
    }

    /**
     * The reading connections.
     *
     * @param connectionTimeout of a reader's wait
     * @param validationTimeout of a check
     */
    public record Pool(Duration connectionTimeout, Duration validationTimeout, int maximum, int minimumIdle) {

        /** Nacos's default. */
        public static final Pool DEFAULT = new Pool(Duration.ofSeconds(30), Duration.ofSeconds(10), 20, 2);
    }
}
