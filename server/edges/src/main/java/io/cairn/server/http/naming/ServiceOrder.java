package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.view.ServiceTally;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The order of listed services.
 *
 * @param by null for the order of the registry, by group and name, which costs nothing
 */
public record ServiceOrder(@Nullable By by, boolean descending) {

    public static final ServiceOrder OF_REGISTRY = new ServiceOrder(null, false);

    /** A page within this fraction of the list is selected without sorting all. */
    private static final int FRONT = 8;

    private static final Comparator<Counted> BY_NAME = Comparator.comparing(
                    (Counted one) -> one.service().name())
            .thenComparing(one -> one.service().group());
    private static final Comparator<Counted> BY_GROUP =
            Comparator.comparing((Counted one) -> one.service().group()).thenComparing(BY_NAME);

    record Counted(ServiceKey service, ServiceTally tally) {

        /** From 0, all unhealthy, to 1; services without instances come last. */
        double health() {
            return tally.instances() == 0 ? 2 : (double) tally.healthy() / tally.instances();
        }
    }

    public enum By {
        NAME,
        GROUP,
        INSTANCES,
        HEALTHY,
        /** By the share of healthy instances: lowest first, larger services first. */
        HEALTH;

        private Comparator<Counted> comparator() {
            return switch (this) {
                case NAME -> BY_NAME;
                case GROUP -> BY_GROUP;
                case INSTANCES -> Comparator.comparingInt(one -> one.tally().instances());
                case HEALTHY -> Comparator.comparingInt(one -> one.tally().healthy());
                case HEALTH ->
                    Comparator.comparingDouble(Counted::health)
                            .thenComparing(one -> one.tally().instances(), Comparator.reverseOrder());
            };
        }
    }

    /**
     * @param sort {@code name}, {@code group}, {@code instances}, {@code healthy} or {@code health}; null or blank for the order of
     *     the registry
     * @param direction {@code asc} or {@code desc}; null or blank for the first
     * @throws CairnException {@code INVALID_PARAMETER} for other words
     */
    public static ServiceOrder of(@Nullable String sort, @Nullable String direction) {
        String word = direction == null ? "" : direction.trim().toLowerCase(Locale.ROOT);
        if (!word.isEmpty() && !word.equals("asc") && !word.equals("desc")) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "order: '" + direction + "' (expected: asc or desc)");
        }
        boolean descending = word.equals("desc");
        if (sort == null || sort.isBlank()) {
            return descending ? new ServiceOrder(By.GROUP, true) : OF_REGISTRY;
        }
        for (By by : By.values()) {
            if (by.name().equalsIgnoreCase(sort.trim())) {
                return new ServiceOrder(by, descending);
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "sort: '" + sort + "' (expected: name, group, instances, healthy or health)");
    }

    boolean counts() {
        return by != null && by != By.NAME && by != By.GROUP;
    }

    /** A page of all services. Selects an early page without sorting all. */
    List<ServiceKey> page(List<Counted> all, Page page) {
        if (by == null) {
            return keys(page.of(all));
        }
        // Equal ones by name, so that pages do not overlap.
        Comparator<Counted> first = by.comparator();
        Comparator<Counted> order = (descending ? first.reversed() : first).thenComparing(BY_NAME);
        long end = (long) page.number() * page.size();
        List<Counted> sorted =
                end > 0 && end * FRONT < all.size() ? front(all, order, (int) end) : new ArrayList<>(all);
        sorted.sort(order);
        return keys(page.of(sorted));
    }

    private static List<ServiceKey> keys(List<Counted> counted) {
        List<ServiceKey> keys = new ArrayList<>(counted.size());
        for (Counted one : counted) {
            keys.add(one.service());
        }
        return keys;
    }

    private static List<Counted> front(List<Counted> all, Comparator<Counted> order, int size) {
        PriorityQueue<Counted> best = new PriorityQueue<>(size + 1, order.reversed());
        for (Counted one : all) {
            if (best.size() < size) {
                best.add(one);
            } else if (order.compare(one, best.element()) < 0) {
                best.poll();
                best.add(one);
            }
        }
        return new ArrayList<>(best);
    }
}
