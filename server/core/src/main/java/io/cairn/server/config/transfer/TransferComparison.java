package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.UnifiedDiff;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.transfer.TransferPreview.Action;
import io.cairn.server.config.validation.Finding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Compares configurations with stored ones to find the effect of a transfer. Blocks; not thread-safe. */
final class TransferComparison {

    private static final int MAX_DIFF_CHARS = 64 * 1024;
    private static final int MAX_ALL_DIFFS_CHARS = 4 * 1024 * 1024;

    private final Function<ConfigKey, CurrentConfig> current;
    private final ConflictPolicy policy;
    private final Predicate<ConfigKey> readable;
    private final Function<PublishConfig, Optional<Finding>> finder;
    private final Predicate<Finding> refuses;
    private final List<TransferPreview.Item> items = new ArrayList<>();
    private final Map<Action, Integer> counts = new EnumMap<>(Action.class);
    /** The contents of earlier configurations of the transfer. */
    private final Map<ConfigKey, ContentDigest> earlier = new HashMap<>();

    private int chars;

    /**
     * @param readable whether the caller may see the stored content in the difference
     * @param finder finds a content's problem
     * @param refuses whether the problem prevents the store
     */
    TransferComparison(
            Function<ConfigKey, CurrentConfig> current,
            ConflictPolicy policy,
            Predicate<ConfigKey> readable,
            Function<PublishConfig, Optional<Finding>> finder,
            Predicate<Finding> refuses) {
        this.current = current;
        this.policy = policy;
        this.readable = readable;
        this.finder = finder;
        this.refuses = refuses;
    }

    void add(PublishConfig config) {
        CurrentConfig stored = current.apply(config.key());
        Optional<ContentDigest> before =
                Optional.ofNullable(earlier.get(config.key())).or(stored::digest);
        Optional<Finding> finding = finder.apply(config);
        Action action = finding.filter(refuses).isPresent() ? Action.INVALID : action(before, config.digest());
        counts.merge(action, 1, Integer::sum);
        if (action == Action.CREATE || action == Action.UPDATE) {
            earlier.put(config.key(), config.digest());
        }
        if (items.size() < TransferPreview.MAX_ITEMS) {
            boolean differs = !before.equals(Optional.of(config.digest()));
            UnifiedDiff diff =
                    differs && readable.test(config.key()) ? diff(stored, config) : new UnifiedDiff("", false);
            chars += diff.text().length();
            items.add(new TransferPreview.Item(
                    config.key(),
                    action,
                    before,
                    config.digest(),
                    diff.text(),
                    diff.isCut(),
                    finding.map(Finding::words)));
        }
    }

    private Action action(Optional<ContentDigest> before, ContentDigest now) {
        if (counts.containsKey(Action.FAIL)) {
            return Action.SKIP;
        }
        if (before.isEmpty()) {
            return Action.CREATE;
        }
        if (before.get().equals(now) && policy != ConflictPolicy.ABORT) {
            return Action.SAME;
        }
        return switch (policy) {
            case ABORT, ABORT_IF_DIFFERENT -> Action.FAIL;
            case SKIP -> Action.SKIP;
            case OVERWRITE -> Action.UPDATE;
        };
    }

    private UnifiedDiff diff(CurrentConfig stored, PublishConfig config) {
        String name = config.key().group() + '/' + config.key().dataId();
        return UnifiedDiff.between(
                stored.digest().isEmpty() ? "/dev/null" : name,
                stored.digest().isEmpty() ? "" : stored.content().get(),
                name,
                new String(config.utf8(), StandardCharsets.UTF_8),
                Math.min(MAX_DIFF_CHARS, MAX_ALL_DIFFS_CHARS - chars));
    }

    TransferPreview preview(List<UnrecognizedEntry> unrecognized) {
        return new TransferPreview(
                items,
                new TransferPreview.Counts(
                        count(Action.CREATE),
                        count(Action.UPDATE),
                        count(Action.SAME),
                        count(Action.SKIP),
                        count(Action.FAIL),
                        count(Action.INVALID)),
                unrecognized);
    }

    private int count(Action action) {
        return counts.getOrDefault(action, 0);
    }
}
