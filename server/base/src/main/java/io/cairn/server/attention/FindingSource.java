package io.cairn.server.attention;

import io.cairn.api.config.Namespace;
import java.util.List;

/** The findings of one feature. May block briefly and read files. */
@FunctionalInterface
public interface FindingSource {

    FindingSource NONE = namespace -> List.of();

    /** The present findings; of configurations, only those in the namespace. */
    List<Finding> findings(Namespace namespace);
}
