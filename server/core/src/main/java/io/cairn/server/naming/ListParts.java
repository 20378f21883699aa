package io.cairn.server.naming;

import io.cairn.api.wire.SharedPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Divides the lists of a large service into parts that carry their compressed form from list to list, so that a change of one instance
 * compresses one part. Thread-safe.
 */
final class ListParts {

    private final Map<RegisteredInstance, Part> before;
    private final Map<RegisteredInstance, Part> present = new ConcurrentHashMap<>();

    /** Instances that are encoded already, the same objects from list to list. */
    private record Part(RegisteredInstance[] hosts, SharedPart shared) {

        @SuppressWarnings("ReferenceEquality") // the same object has the same encoded form
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

    /** For the lists of the next version of the service; keeps nothing that neither this version nor the one before it uses. */
    ListParts next() {
        return new ListParts(present.isEmpty() ? before : present);
    }

    /** The parts of a list, from its first instance on; none where the list is small. */
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
