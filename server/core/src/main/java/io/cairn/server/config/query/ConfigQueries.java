package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.Page;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.ReadPool;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Searches configurations. Names, types and times of all configurations are in memory: they are filtered, counted and
 * sorted there. The store finds the configurations with an application, a tag or a content, and reads the rows of one
 * page. Thread-safe; nothing here blocks. Fails with {@code BUSY} or {@code UNAVAILABLE}.
 */
public final class ConfigQueries {

    /** Maximum configurations in a page. */
    static final int MAX_PAGE = 10_000;

    /** Maximum page end for which the first entries are selected with a heap; beyond it all matches are sorted. */
    private static final int PICKED = 2_000;

    private final ConfigView view;
    private final ConfigQueryStore store;
    private final ReadPool reads;

    public ConfigQueries(ConfigView view, ConfigQueryStore store, ReadPool reads) {
        this.view = view;
        this.store = store;
        this.reads = reads;
    }

    /**
     * A page of the matching configurations that the caller may read. Fails with {@code INVALID_PARAMETER} if the page
     * would be larger than a response may be, because a cut page would look complete.
     */
    public CompletionStage<Page<StoredConfig>> search(
            ConfigCriteria criteria, ReadScope visible, ConfigOrder order, PageRequest page, boolean withContents) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(criteria, visible);
            List<ConfigKey> keys = part(found, order.comparator(), page);
            return Page.of(page, found.size(), store.read(keys, withContents));
        });
    }

    /** All matching configurations that the caller may read, ordered by name, without contents. */
    public CompletionStage<List<StoredConfig>> all(ConfigCriteria criteria, ReadScope visible) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(criteria, visible);
            found.sort(ConfigOrder.BY_NAME.comparator());
            return store.read(found.stream().map(ConfigEntry::key).toList(), false);
        });
    }

    /**
     * The in-memory entries of the configurations of a namespace that the caller may read, ordered by name. Does not
     * read the store.
     */
    public CompletionStage<List<ConfigEntry>> entries(Namespace namespace, ReadScope visible) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(ConfigCriteria.all(namespace), visible);
            found.sort(ConfigOrder.BY_NAME.comparator());
            return found;
        });
    }

    /** Everything that is stored of that configuration, with its content. */
    public CompletionStage<Optional<StoredConfig>> detail(ConfigKey key) {
        return reads.read(() -> store.read(List.of(key), true).stream().findFirst());
    }

    /** The configurations with these row ids, in the order of their ids; unknown ids are left out. */
    public CompletionStage<List<StoredConfig>> byIds(Collection<Long> ids, boolean withContents) {
        return reads.read(() -> store.byIds(ids, withContents));
    }

    /** The gray releases of that configuration, highest priority first; from memory, without contents. */
    public List<ConfigEntry> grayEntries(ConfigKey key) {
        return view.grayEntries(key);
    }

    /** The gray releases of that configuration with their contents, highest priority first. */
    public CompletionStage<List<StoredGray>> grays(ConfigKey key) {
        return reads.read(() -> store.grays(key).stream()
                .sorted(Comparator.<StoredGray>comparingInt(gray -> gray.rule().priority())
                        .reversed()
                        .thenComparing(gray -> gray.rule().name()))
                .toList());
    }

    /** The gray release with that name, {@link GrayRule#BETA} for the one by client address. */
    public CompletionStage<Optional<StoredGray>> gray(ConfigKey key, String name) {
        return grays(key).thenApply(all -> all.stream()
                .filter(gray -> gray.rule().name().equals(name))
                .findFirst());
    }

    private List<ConfigEntry> find(ConfigCriteria criteria, ReadScope visible) {
        List<ConfigEntry> found = new ArrayList<>();
        if (criteria.needsStore()) {
            Set<ConfigKey> keys = store.keys(criteria);
            for (ConfigKey key : keys) {
                ConfigEntry entry = view.entry(key);
                if (entry != null && criteria.matches(entry) && visible.has(key)) {
                    found.add(entry);
                }
            }
        } else {
            view.forEach(entry -> {
                if (criteria.matches(entry) && visible.has(entry.key())) {
                    found.add(entry);
                }
            });
        }
        return found;
    }

    private static List<ConfigKey> part(List<ConfigEntry> found, Comparator<ConfigEntry> order, PageRequest page) {
        if (page.offset() >= found.size()) {
            return List.of();
        }
        long end = Math.min(found.size(), page.offset() + page.size());
        if (end - page.offset() > MAX_PAGE) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "pageSize: " + page.size() + " (expected: 1-" + MAX_PAGE + ", for " + found.size()
                            + " configurations match)");
        }
        List<ConfigEntry> inOrder = found;
        if (end <= PICKED && end < found.size()) {
            inOrder = first((int) end, found, order);
        } else {
            found.sort(order);
        }
        return inOrder.stream()
                .skip(page.offset())
                .limit(page.size())
                .map(ConfigEntry::key)
                .toList();
    }

    /** The first entries in that order; most of the others cost one comparison each. */
    private static List<ConfigEntry> first(int count, List<ConfigEntry> found, Comparator<ConfigEntry> order) {
        PriorityQueue<ConfigEntry> kept = new PriorityQueue<>(count, Collections.reverseOrder(order));
        for (ConfigEntry entry : found) {
            if (kept.size() < count) {
                kept.add(entry);
            } else if (order.compare(entry, kept.element()) < 0) {
                kept.remove();
                kept.add(entry);
            }
        }
        List<ConfigEntry> first = new ArrayList<>(kept);
        first.sort(order);
        return first;
    }
}
