package io.cairn.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the groups of names that all depend on each other, directly or through others. */
final class Circles {

    private final Map<String, Set<String>> forward;
    private final Map<String, Set<String>> backward = new HashMap<>();

    private Circles(Map<String, Set<String>> dependencies) {
        this.forward = dependencies;
        dependencies.forEach((from, all) -> all.forEach(
                to -> backward.computeIfAbsent(to, first -> new HashSet<>()).add(from)));
    }

    /** @param dependencies by name; names without an entry have none */
    static List<Set<String>> in(Map<String, Set<String>> dependencies) {
        Circles circles = new Circles(dependencies);
        List<Set<String>> found = new ArrayList<>();
        Set<String> done = new HashSet<>();
        for (String name : dependencies.keySet()) {
            if (!done.contains(name)) {
                Set<String> circle = reachable(name, circles.forward);
                circle.retainAll(reachable(name, circles.backward));
                done.addAll(circle);
                if (circle.size() > 1) {
                    found.add(circle);
                }
            }
        }
        return found;
    }

    private static Set<String> reachable(String start, Map<String, Set<String>> arrows) {
        Set<String> reached = new TreeSet<>(Set.of(start));
        ArrayDeque<String> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            for (String next : arrows.getOrDefault(open.remove(), Set.of())) {
                if (reached.add(next)) {
                    open.add(next);
                }
            }
        }
        return reached;
    }
}
