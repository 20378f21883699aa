package io.cairn.server.storage.cluster;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.storage.cluster.RecheckCommand.Suspicion;
import io.cairn.server.storage.writer.StoreWriter;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the stored content of entries whose digest is not that of their content: another program has changed the content alone.
 * Thread-safe; does not block.
 */
public final class MisstatedDigests implements Consumer<ConfigEntry> {

    private static final Logger log = LoggerFactory.getLogger(MisstatedDigests.class);

    private final StoreWriter writer;
    private final ConfigView view;
    /** Many readers may find the same one. */
    private final Set<ConfigKey> rechecked = ConcurrentHashMap.newKeySet();

    public MisstatedDigests(StoreWriter writer, ConfigView view) {
        this.writer = writer;
        this.view = view;
    }

    @Override
    public void accept(ConfigEntry shown) {
        ConfigKey key = shown.key();
        if (!rechecked.add(key)) {
            return;
        }
        writer.submit(new RecheckCommand(Map.of(key, new Suspicion(true, true)), view))
                .whenComplete((count, failure) -> {
                    rechecked.remove(key);
                    if (failure == null) {
                        log.warn(
                                "The md5 of {} in the database is not that of its content: another program has changed the"
                                        + " content alone. The content counts",
                                key);
                    } else {
                        log.debug("The next reader of {} checks it again", key, failure);
                    }
                });
    }
}
