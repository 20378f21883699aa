package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.PublishConfig;
import java.util.Optional;

/** Checks configurations that the server itself reads, before the store, in every validation mode, and refuses unreadable ones. */
public interface RequiredCheck {

    /** Called for each publish: must be quick. */
    boolean concerns(ConfigKey key);

    /** The first problem, if any. May block. */
    Optional<Finding> find(PublishConfig command);

    /** For a server that reads no configuration. */
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
