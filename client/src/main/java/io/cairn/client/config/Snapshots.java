package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.client.connection.Origin;
import io.cairn.client.internal.SnapshotFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last contents that servers returned, one file per configuration. A file begins with
 * {@code cairn-config 1 <type> <md5>}; a file whose text has another md5 is ignored.
 */
final class Snapshots {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final String HEAD = "cairn-config 1 ";

    private final @Nullable SnapshotFolder folder;

    Snapshots(@Nullable SnapshotFolder folder) {
        this.folder = folder;
    }

    void keep(ConfigContent content) {
        if (folder != null) {
            String head = HEAD + content.type().wireName() + ' ' + content.digest() + '\n';
            folder.write(
                    (head + content.text()).getBytes(StandardCharsets.UTF_8),
                    content.fetchedAt(),
                    "config",
                    content.key().namespace().id(),
                    content.key().group(),
                    content.key().dataId());
        }
    }

    void forget(ConfigKey key) {
        if (folder != null) {
            folder.delete("config", key.namespace().id(), key.group(), key.dataId());
        }
    }

    Optional<ConfigContent> find(ConfigKey key) {
        if (folder == null) {
            return Optional.empty();
        }
        try {
            return folder.read("config", key.namespace().id(), key.group(), key.dataId())
                    .flatMap(file -> read(key, new String(file.bytes(), StandardCharsets.UTF_8), file.writtenAt()));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "The snapshot of " + key + " cannot be read: " + e);
            return Optional.empty();
        }
    }

    private static Optional<ConfigContent> read(ConfigKey key, String file, Instant writtenAt) {
        int end = file.indexOf('\n');
        String[] head = end < 0 ? new String[0] : file.substring(0, end).split(" ");
        if (head.length == 4 && file.startsWith(HEAD)) {
            String text = file.substring(end + 1);
            ContentDigest digest = ContentDigest.of(text);
            if (digest.matches(head[3])) {
                return Optional.of(new ConfigContent(
                        key, text, ConfigType.ofWireName(head[2]), digest, Origin.SNAPSHOT, writtenAt));
            }
        }
        LOG.log(System.Logger.Level.WARNING, "The snapshot of {0} is damaged and not used", key);
        return Optional.empty();
    }
}
