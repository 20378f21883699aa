package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.Optional;

/**
 * The effect that an import or a clone would have now. Nothing was stored.
 *
 * @param items in their order; the first {@link #MAX_ITEMS}
 * @param counts over all items, not only the listed ones
 */
public record TransferPreview(List<Item> items, Counts counts, List<UnrecognizedEntry> unrecognized) {

    public static final int MAX_ITEMS = 1_000;

    public TransferPreview {
        items = List.copyOf(items);
        unrecognized = List.copyOf(unrecognized);
    }

    /** The effect on one configuration. */
    public enum Action {
        /** It does not exist yet. */
        CREATE,
        /** Its content would be replaced. */
        UPDATE,
        /** It exists with the same content: whether it is replaced or left out, nothing changes. */
        SAME,
        /**
         * It exists with another content and would be left out, or it comes after a configuration at which the transfer
         * would stop.
         */
        SKIP,
        /** It exists already, and the transfer would stop here. */
        FAIL,
        /** Its content has a problem because of which the whole transfer would be refused. */
        INVALID
    }

    /**
     * @param before digest of the stored content; empty if there is none
     * @param now digest of the content that would be stored
     * @param diff from the stored content to the new one, as a unified diff; empty if they are equal
     * @param isCut whether the diff was cut off
     * @param problem of the content, also if it would be stored nevertheless; empty if there is none, or contents are
     *     not checked
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
