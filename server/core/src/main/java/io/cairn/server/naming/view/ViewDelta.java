package io.cairn.server.naming.view;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.api.wire.naming.ServiceName;
import java.util.ArrayList;
import java.util.List;

/** The difference of two views, for consumers with deltas. */
public final class ViewDelta {

    private final ServiceView view;
    private final long since;
    private final List<byte[]> changed = new ArrayList<>();
    private final List<InstanceKey> removed;
    private final int bytes;

    public ViewDelta(ServiceView view, long since, RecentChanges.Changed changes) {
        this.view = view;
        this.since = since;
        this.removed = new ArrayList<>(changes.gone());
        for (RegisteredInstance each : changes.set()) {
            if (each.shown().enabled()) {
                changed.add(each.json(view.groupedName()));
            } else {
                // Consumers do not see a disabled instance.
                removed.add(each.shown().key());
            }
        }
        this.bytes = 512
                + changed.stream().mapToInt(each -> each.length + 1).sum()
                + removed.stream()
                        .mapToInt(key -> 64 + key.ip().length() + key.cluster().length())
                        .sum();
    }

    /** Upper bound without the service's names. */
    public int bytes() {
        return bytes;
    }

    /** Into the enclosing object. */
    public void write(JsonOutput out) {
        out.object(
                ServiceDelta.FIELD,
                ServiceName.of(view.service()),
                (name, fields) -> ServiceDelta.write(
                        fields,
                        name,
                        since,
                        view.snapshot().version(),
                        changed.toArray(new byte[0][]),
                        removed,
                        view.snapshot().refMillis()));
    }
}
