package io.cairn.server.naming.view;

import io.cairn.api.wire.SharedPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Divides a large service's lists into parts that keep their compressed form, so that a change of one instance compresses one part.
 */
final class ListParts {

    private final Map<RegisteredInstance, Part> before;
    private final Map<RegisteredInstance, Part> present = new ConcurrentHashMap<>();

    /** Encoded instances, the same objects from list to list. */
    private record Part(RegisteredInstance[] hosts, SharedPart shared) {

        @SuppressWarnings("ReferenceEquality") // The same object has the same encoded form
        boolean is(RegisteredInstance[] others, int from, int to) {
            if (hosts.length != to - from) {
                return false;
            }
            for (int i = 0; i < hosts.length; i++) {
                if (hosts[i] != others[from + i]) {
                    return false;
                }
            }
            return true;
        }
    }

    private ListParts(Map<RegisteredInstance, Part> before) {
        this.before = before;
    }

    static ListParts first() {
        return new ListParts(Map.of());
    }

    /** For the next version; keeps only parts of this version and the former. */
    ListParts next() {
        return new ListParts(present.isEmpty() ? before : present);
    }

    /** In order; empty for a small list. */
    List<SharedPart> of(RegisteredInstance[] hosts) {
        if (hosts.length < PartBoundary.SMALLEST_LIST) {
            return List.of();
        }
        List<SharedPart> parts = new ArrayList<>();
        int from = 0;
        for (int i = 1; i < hosts.length; i++) {
            if (PartBoundary.isBefore(hosts[i].shown().key(), i - from)) {
                parts.add(part(hosts, from, i));
                from = i;
            }
        }
        parts.add(part(hosts, from, hosts.length));
        return parts;
    }

    private SharedPart part(RegisteredInstance[] hosts, int from, int to) {
        RegisteredInstance first = hosts[from];
        Part known = present.get(first);
        if (known == null) {
            known = before.get(first);
        }
        if (known == null || !known.is(hosts, from, to)) {
            known = new Part(Arrays.copyOfRange(hosts, from, to), new SharedPart(to - from));
        }
        present.put(first, known);
        return known.shared;
    }
}
