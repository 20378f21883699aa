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

    /** Inserts or updates; what the command itself expects is left to the condition. */
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
     * Deletes the configuration or one gray release of it; what is not there is left alone, unless the condition, which is
     * about what is to go, wants it there.
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
