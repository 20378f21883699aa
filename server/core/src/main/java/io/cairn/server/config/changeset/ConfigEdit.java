package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;
import java.util.Optional;

public sealed interface ConfigEdit {

    ConfigKey key();

    Condition condition();

    /** Whether the condition allows the stored content, so there is nothing to do. */
    default boolean isDone(Optional<ContentDigest> stored) {
        return false;
    }

    /** The approximate memory. */
    int weightBytes();

    /** Inserts or updates; the condition replaces the command's own expectation. */
    record Put(PublishConfig command, Condition condition) implements ConfigEdit {

        public Put {
            if (command.gray() != null || command.expectedMd5() != null) {
                throw new IllegalArgumentException(command.key()
                        + ": gray rule or expected md5 in a change set (expected: neither, and a condition)");
            }
        }

        @Override
        public ConfigKey key() {
            return command.key();
        }

        @Override
        public boolean isDone(Optional<ContentDigest> stored) {
            return condition == Condition.ABSENT_OR_SAME && stored.equals(Optional.of(command.digest()));
        }

        @Override
        public int weightBytes() {
            return 512 + command.utf8().length;
        }
    }

    /** Deletes a configuration or gray release. Does nothing if it is absent, unless the condition demands it. */
    record Remove(RemoveConfig command, Condition condition) implements ConfigEdit {

        @Override
        public ConfigKey key() {
            return command.key();
        }

        @Override
        public int weightBytes() {
            return 256;
        }
    }
}
