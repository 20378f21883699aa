package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.RowPage;
import io.cairn.server.config.RowSource;
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
 * Searches configurations. Names, types and times are filtered, counted and sorted in memory. The store finds applications, tags
 * and contents, and reads the rows of one page. Does not block. Fails with {@code BUSY} or {@code UNAVAILABLE}.
 */
public final class ConfigQueries {

    /** Most configurations of a page. */
    static final int MAX_PAGE = 10_000;

    /** Up to this page end a heap selects the first entries; beyond it all matches are sorted. */
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
     * A page of the matching, readable configurations. Fails with {@code INVALID_PARAMETER} for a page beyond a response, because a
     * cut page would look complete.
     *
     * @param lease reserves the memory of large contents
     */
    public CompletionStage<RowPage<StoredConfig>> search(Search search, boolean withContents, MemoryLease lease) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(search.criteria, search.visible);
            List<ConfigKey> keys = part(found, search.order.comparator(), search.page);
            return RowPage.of(
                    search.page, found.size(), store.rows(keys, withContents).begun(lease));
        });
    }

    /** @param visible the readable ones */
    public record Search(ConfigCriteria criteria, ReadScope visible, ConfigOrder order, PageRequest page) {}

    /**
     * All matching, readable configurations by name, without contents.
     *
     * @param lease reserves the memory of large rows
     */
    public CompletionStage<RowSource<StoredConfig>> all(ConfigCriteria criteria, ReadScope visible, MemoryLease lease) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(criteria, visible);
            found.sort(ConfigOrder.BY_NAME.comparator());
            return store.rows(found.stream().map(ConfigEntry::key).toList(), false)
                    .begun(lease);
        });
    }

    /** The readable configurations of a namespace by name, from memory. */
    public CompletionStage<List<ConfigEntry>> entries(Namespace namespace, ReadScope visible) {
        return reads.read(() -> {
            List<ConfigEntry> found = find(ConfigCriteria.all(namespace), visible);
            found.sort(ConfigOrder.BY_NAME.comparator());
            return found;
        });
    }

    /**
     * With content.
     *
     * @param lease reserves the memory of a large content
     */
    public CompletionStage<Optional<StoredConfig>> detail(ConfigKey key, MemoryLease lease) {
        return reads.read(() -> first(store.rows(List.of(key), true), lease));
    }

    /** Without content. */
    public CompletionStage<Optional<StoredConfig>> attributes(ConfigKey key, MemoryLease lease) {
        return reads.read(() -> first(store.rows(List.of(key), false), lease));
    }

    private static <T> Optional<T> first(RowSource<T> rows, MemoryLease lease) {
        return rows.next(lease).stream().findFirst();
    }

    /** By id; unknown ids are left out. */
    public CompletionStage<List<ConfigKey>> keysOf(Collection<Long> ids) {
        return reads.read(() -> store.keysOf(ids));
    }

    /** Highest priority first; from memory, without contents. */
    public List<ConfigEntry> grayEntries(ConfigKey key) {
        return view.grayEntries(key);
    }

    /**
     * With contents, highest priority first.
     *
     * @param lease reserves the memory of large contents
     */
    public CompletionStage<RowSource<StoredGray>> grays(ConfigKey key, MemoryLease lease) {
        return reads.read(() -> store.grays(key, view.grayNames(key)).begun(lease));
    }

    /**
     * @param name {@link GrayRule#BETA} for the release by address
     * @param lease reserves the memory of a large content
     */
    public CompletionStage<Optional<StoredGray>> gray(ConfigKey key, String name, MemoryLease lease) {
        return reads.read(() -> first(store.grays(key, List.of(name)), lease));
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
        page.mustFit(MAX_PAGE, found.size(), "configurations");
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

    /** The first entries in that order; most others cost one comparison each. */
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
