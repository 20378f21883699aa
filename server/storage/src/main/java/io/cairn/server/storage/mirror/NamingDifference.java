package io.cairn.server.storage.mirror;

import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.stored.NamingWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The writes that make one copy of the stored registry equal to another. */
final class NamingDifference {

    private NamingDifference() {}

    /**
     * Removals come first.
     *
     * @param present passes each present row to the consumer
     */
    static List<NamingWrite> writes(List<NamingWrite> wanted, Consumer<Consumer<NamingWrite>> present) {
        Set<NamingWrite> missing = new HashSet<>(wanted);
        List<NamingWrite> writes = new ArrayList<>();
        Map<Object, NamingWrite> byPlace = new HashMap<>();
        wanted.forEach(write -> byPlace.put(place(write), write));
        present.accept(row -> {
            missing.remove(row);
            if (!byPlace.containsKey(place(row))) {
                removal(row).ifPresent(writes::add);
            }
        });
        writes.addAll(missing);
        return writes;
    }

    private static Object place(NamingWrite write) {
        if (write instanceof NamingWrite.SaveInstance save) {
            return List.of(
                    "instance",
                    save.service(),
                    save.instance().key().ip(),
                    save.instance().key().port());
        } else if (write instanceof NamingWrite.SaveOverride save) {
            return List.of("override", save.service(), save.instance());
        } else if (write instanceof NamingWrite.SaveService save) {
            return List.of("service", save.service());
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            return List.of("switch", save.name());
        }
        return write;
    }

    private static Optional<NamingWrite> removal(NamingWrite stored) {
        if (stored instanceof NamingWrite.SaveInstance save) {
            return Optional.of(new NamingWrite.RemoveInstance(
                    save.service(), save.instance().key()));
        } else if (stored instanceof NamingWrite.SaveOverride save) {
            return Optional.of(new NamingWrite.SaveOverride(save.service(), save.instance(), InstanceOverride.NONE));
        } else if (stored instanceof NamingWrite.SaveService save) {
            return Optional.of(new NamingWrite.RemoveService(save.service()));
        }
        return Optional.empty();
    }
}
