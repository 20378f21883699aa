package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.Optional;

/**
 * What an import or a clone would do now. Nothing of it was stored.
 *
 * @param items in their order; the first {@link #MAX_ITEMS}
 * @param counts of all, also of those beyond
 */
public record TransferPreview(List<Item> items, Counts counts, List<UnrecognizedEntry> unrecognized) {

    public static final int MAX_ITEMS = 1_000;

    public TransferPreview {
        items = List.copyOf(items);
        unrecognized = List.copyOf(unrecognized);
    }

    /** What would become of one configuration. */
    public enum Action {
        /** It is not there yet. */
        CREATE,
        /** It would be replaced by another content. */
        UPDATE,
        /** It is there already with the same content: replaced or left out, nothing would change. */
        SAME,
        /** It is there already with another content and would be left out, or comes after one at which everything would end. */
        SKIP,
        /** It is there already, and everything would end here. */
        FAIL,
        /** Something is wrong with its content, for which everything would be refused. */
        INVALID
    }

    /**
     * @param before of what is stored; empty when nothing is
     * @param now of what would be stored
     * @param diff from the one to the other, as a unified diff; empty when they are the same
     * @param isCut whether the diff goes on
     * @param problem what is wrong with the content, also where it would be stored nevertheless; empty when nothing is, or
     *     nobody looks
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
