package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.Optional;

/**
 * The effect of an import or clone now, without a store.
 *
 * @param items the first {@link #MAX_ITEMS}, in order
 * @param counts over all items
 */
public record TransferPreview(List<Item> items, Counts counts, List<UnrecognizedEntry> unrecognized) {

    public static final int MAX_ITEMS = 1_000;

    public TransferPreview {
        items = List.copyOf(items);
        unrecognized = List.copyOf(unrecognized);
    }

    public enum Action {
        CREATE,
        UPDATE,
        /** Its content is equal, so nothing changes. */
        SAME,
        /** Its other content would stay, or the transfer would stop before it. */
        SKIP,
        /** It exists, and the transfer would stop here. */
        FAIL,
        /** Its malformed content would cause a refusal of the transfer. */
        INVALID
    }

    /**
     * @param before digest of the stored content, if any
     * @param now digest of the new content
     * @param diff unified; empty for equal contents
     * @param isCut whether the diff was cut
     * @param problem of the content, even if it would be stored; empty without one, and without checks
     */
    public record Item(
            ConfigKey key,
            Action action,
            Optional<ContentDigest> before,
            ContentDigest now,
            String diff,
            boolean isCut,
            Optional<String> problem) {}

    public record Counts(int create, int update, int same, int skip, int fail, int invalid) {}
}
