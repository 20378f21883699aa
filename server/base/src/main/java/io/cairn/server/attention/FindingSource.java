package io.cairn.server.attention;

import io.cairn.api.config.Namespace;
import java.util.List;

/** The findings of one feature. Thread-safe; an implementation may block for a moment, and may read files. */
@FunctionalInterface
public interface FindingSource {

    /** Finds nothing. */
    FindingSource NONE = namespace -> List.of();

    /** The findings of this moment; of configurations, those of one namespace. */
    List<Finding> findings(Namespace namespace);
}
