package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The owners by instance. Exists only while a service shows publications without an owner: a departing node leaves thousands at
 * once. Not thread-safe.
 */
final class InstanceOwners {

    private final Map<InstanceKey, List<Publication>> byInstance = new HashMap<>();

    void add(Publication publication) {
        forEachKey(
                publication,
                key -> byInstance.merge(key, List.of(publication), (some, more) -> {
                    List<Publication> all = new ArrayList<>(some);
                    all.addAll(more);
                    return all;
                }));
    }

    void remove(Publication publication) {
        forEachKey(
                publication,
                key -> byInstance.computeIfPresent(key, (same, all) -> {
                    List<Publication> left = new ArrayList<>(all);
                    left.remove(publication);
                    return left.isEmpty() ? null : left;
                }));
    }

    /** An owner's publication with the instance since that time, or null. */
    @Nullable
    Publication since(InstanceKey instance, long publishedAt) {
        for (Publication each : byInstance.getOrDefault(instance, List.of())) {
            if (each.publishedAt() >= publishedAt) {
                return each;
            }
        }
        return null;
    }

    /** Leaves an encoded publication encoded. */
    static void forEachKey(Publication publication, Consumer<InstanceKey> consumer) {
        if (publication.isEncoded()) {
            for (Instance instance : publication.decode()) {
                consumer.accept(instance.key());
            }
        } else {
            for (RegisteredInstance instance : publication.registered()) {
                consumer.accept(instance.published().key());
            }
        }
    }
}
