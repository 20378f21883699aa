package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.PublishConfig;
import java.util.Optional;

/**
 * Checks configurations that the server itself reads. Such a content is checked before it is stored, whatever the validation
 * mode is, and refused when it cannot be read. Thread-safe.
 */
public interface RequiredCheck {

    /** Whether the server reads that configuration. Called for each publish: it must be quick. */
    boolean concerns(ConfigKey key);

    /** The first problem with a content that this check concerns; empty when there is none. May block. */
    Optional<Finding> find(PublishConfig command);

    /** The check of a server that reads no configuration. */
    RequiredCheck NONE = new RequiredCheck() {
        @Override
        public boolean concerns(ConfigKey key) {
            return false;
        }

        @Override
        public Optional<Finding> find(PublishConfig command) {
            return Optional.empty();
        }
    };
}
