package io.cairn.server.xds.view;

import io.cairn.server.xds.resource.ViewKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The limit of a wildcard client's clusters. Clusters of stored resources and routes come first, then clusters of services by name;
 * later ones are beyond it. So all nodes choose alike, before and after a restart.
 *
 * <p>For the mesh thread.
 *
 * @param most clusters of one client
 */
public record ClusterLimit(int most, ClusterWarnings warnings) {

    /** Logs once when the clusters are near or beyond the limit. */
    public void noted(ViewKey view, ViewState state) {
        List<String> beyond = new ArrayList<>(0);
        state.beyond().forEach(each -> beyond.add(each.resource().name()));
        warnings.noted(view, state.listedClusters(), most, beyond);
    }

    /** The clusters in order, with their sort key. */
    private record Ranked(boolean isService, String name, TableEntry entry) {}

    private static final Comparator<Ranked> ORDER =
            Comparator.comparing(Ranked::isService).thenComparing(Ranked::name);

    /**
     * Chooses the clusters beyond the limit.
     *
     * @param clusters by name
     * @param isBeforeServices whether a stored route names the cluster
     * @return changed ones: true for one now beyond
     */
    Map<String, Boolean> moves(Map<String, TableEntry> clusters, Predicate<String> isBeforeServices) {
        int listed = 0;
        boolean beyond = false;
        for (TableEntry each : clusters.values()) {
            listed += each.found().listed() ? 1 : 0;
            beyond |= each.isBeyond();
        }
        if (listed <= most && !beyond) {
            return Map.of();
        }
        List<Ranked> ranked = new ArrayList<>(listed);
        clusters.forEach((name, entry) -> {
            if (entry.found().listed()) {
                boolean isService = !entry.found().stored() && !isBeforeServices.test(name);
                ranked.add(new Ranked(isService, name, entry));
            }
        });
        ranked.sort(ORDER);
        Map<String, Boolean> moves = new HashMap<>();
        for (int i = 0; i < ranked.size(); i++) {
            Ranked each = ranked.get(i);
            if (each.entry().isBeyond() != i >= most) {
                moves.put(each.name(), i >= most);
            }
        }
        return moves;
    }
}
