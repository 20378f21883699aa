package io.cairn.server.mesh;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads Envoy resources written by users. The first call loads the descriptors and takes some hundred milliseconds, later ones a
 * few, so keep both off event loops.
 */
public interface EnvoyResources {

    /**
     * Reads a resource, and checks it as Envoy does.
     *
     * @param name the required kind and name
     * @param content YAML or JSON
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} for unreadable descriptors
     */
    Checked check(StoredName name, String content);

    /**
     * The protobuf JSON form with the API's field names.
     *
     * @throws IllegalArgumentException for an unknown type, or other bytes
     */
    String json(String typeUrl, byte[] value);

    /**
     * @param resource null if unreadable; a readable one may have problems
     * @param problems faults that Envoy refuses, so it must not be stored; at most {@value #MAX_PROBLEMS}
     * @param warnings doubtful parts that Envoy accepts
     */
    record Checked(@Nullable EnvoyResource resource, List<ResourceProblem> problems, List<ResourceProblem> warnings) {

        /** Of problems, and of warnings. */
        public static final int MAX_PROBLEMS = 50;

        public Checked {
            problems = List.copyOf(problems);
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * @param value encoded; must not be modified
     * @param clusters the named clusters, by service name for endpoints over EDS
     * @param routes the routes taken over ADS
     * @param isApiListener whether it is a listener without a port, for gRPC clients
     */
    record EnvoyResource(
            String typeUrl,
            String name,
            byte[] value,
            Set<String> clusters,
            Set<String> routes,
            boolean isApiListener) {
        public EnvoyResource {
            clusters = Set.copyOf(clusters);
            routes = Set.copyOf(routes);
        }
    }

    /**
     * @param path such as {@code virtual_hosts[0].routes[1].match}; empty for the whole resource
     * @param line from 1; 0 if unknown
     * @param column from 1; 0 if unknown
     */
    record ResourceProblem(String path, int line, int column, String message) {

        public String text() {
            return path.isEmpty() ? message : path + ": " + message;
        }
    }

    /** Found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Returns at once, without reading.
         *
         * @param descriptors a file in place of the built-in ones, or null
         */
        EnvoyResources create(@Nullable Path descriptors, UnknownFields unknownFields);
    }

    /** The treatment of fields without descriptors. */
    enum UnknownFields {
        REFUSE,
        /** Warnings, and left out: for an Envoy newer than the descriptors. */
        WARN
    }
}
