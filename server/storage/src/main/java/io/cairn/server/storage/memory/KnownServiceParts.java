package io.cairn.server.storage.memory;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.view.PartBoundary;
import java.util.ArrayList;
import java.util.List;

/** Divides a large service's last known instances, so that a change writes one part. */
final class KnownServiceParts {

    private final ServiceKey service;
    private final List<KnownService> parts = new ArrayList<>();
    private List<KnownService.Connected> connected = new ArrayList<>();
    private List<Instance> beating = new ArrayList<>();
    private List<InstanceKey> unhealthy = new ArrayList<>();
    private int size;

    private KnownServiceParts(ServiceKey service) {
        this.service = service;
    }

    /** At least one. */
    static List<KnownService> of(KnownService known) {
        if (known.size() + known.unhealthy().size() < PartBoundary.SMALLEST_LIST) {
            return List.of(known);
        }
        KnownServiceParts all = new KnownServiceParts(known.service());
        for (KnownService.Connected each : known.ofConnections()) {
            all.next(each.instance().key());
            all.connected.add(each);
        }
        for (Instance each : known.beating()) {
            all.next(each.key());
            all.beating.add(each);
        }
        for (InstanceKey each : known.unhealthy()) {
            all.next(each);
            all.unhealthy.add(each);
        }
        all.end();
        return all.parts;
    }

    private void next(InstanceKey instance) {
        if (PartBoundary.isBefore(instance, size)) {
            end();
        }
        size++;
    }

    private void end() {
        parts.add(new KnownService(service, connected, beating, unhealthy));
        connected = new ArrayList<>();
        beating = new ArrayList<>();
        unhealthy = new ArrayList<>();
        size = 0;
    }

    static KnownService joined(KnownService first, List<KnownService> others) {
        List<KnownService.Connected> connected = new ArrayList<>(first.ofConnections());
        List<Instance> beating = new ArrayList<>(first.beating());
        List<InstanceKey> unhealthy = new ArrayList<>(first.unhealthy());
        for (KnownService each : others) {
            connected.addAll(each.ofConnections());
            beating.addAll(each.beating());
            unhealthy.addAll(each.unhealthy());
        }
        return new KnownService(first.service(), connected, beating, unhealthy);
    }
}
