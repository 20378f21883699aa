package io.cairn.server.mesh;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads resources of Envoy's API that people write. Thread-safe. The first call loads the descriptors of the API and takes some
 * hundred milliseconds; later ones take a few milliseconds, so keep both off event loops.
 */
public interface EnvoyResources {

    /**
     * Reads a resource, and checks it as Envoy would.
     *
     * @param name the kind and the name that the resource must have
     * @param content YAML or JSON
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the descriptors cannot be read
     */
    Checked check(StoredName name, String content);

    /**
     * An encoded resource in the JSON form of protobuf, with the field names of the API's files.
     *
     * @throws IllegalArgumentException when the type is not known, or the bytes are none of that type
     */
    String json(String typeUrl, byte[] value);

    /**
     * The outcome of a check.
     *
     * @param resource null when there are problems
     * @param problems reasons for which Envoy would refuse it, at most {@value #MAX_PROBLEMS}
     * @param warnings things that Envoy accepts, and that are worth a look
     */
    record Checked(@Nullable EnvoyResource resource, List<ResourceProblem> problems, List<ResourceProblem> warnings) {

        /** How many problems and how many warnings are reported. */
        public static final int MAX_PROBLEMS = 50;

        public Checked {
            problems = List.copyOf(problems);
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * A resource that was read.
     *
     * @param value the encoded resource; not to be written to
     * @param clusters the clusters that it names; for a cluster that gets its endpoints over EDS, the name of these
     */
    record EnvoyResource(String typeUrl, String name, byte[] value, Set<String> clusters) {
        public EnvoyResource {
            clusters = Set.copyOf(clusters);
        }
    }

    /**
     * A problem with a resource.
     *
     * @param path such as {@code virtual_hosts[0].routes[1].match}; empty for the resource as a whole
     * @param line from 1; 0 when it is not known
     * @param column from 1; 0 when it is not known
     */
    record ResourceProblem(String path, int line, int column, String message) {

        /** Path and message. */
        public String text() {
            return path.isEmpty() ? message : path + ": " + message;
        }
    }

    /** Makes the reader; found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Returns at once, and reads nothing yet.
         *
         * @param descriptors a file that takes the place of the built-in descriptors; null for these
         */
        EnvoyResources create(@Nullable Path descriptors, UnknownFields unknownFields);
    }

    /** The treatment of fields that the descriptors do not have. */
    enum UnknownFields {
        /** They are problems. */
        REFUSE,
        /** They are warnings, and left out: for an Envoy that is newer than the descriptors. */
        WARN
    }
}
