package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;

/** One change of a {@link ChangeSet}. */
public sealed interface ConfigEdit {

    ConfigKey key();

    Condition condition();

    /** About how many bytes it keeps in memory. */
    int weightBytes();

    /** Inserts or updates; the condition replaces the expectation of the command itself. */
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
        public int weightBytes() {
            return 512 + command.utf8().length;
        }
    }

    /**
     * Deletes the configuration or one gray release of it. If it does not exist, nothing happens, unless the condition
     * demands that it exists.
     */
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
