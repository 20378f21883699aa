package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.naming.ServiceInfo;
import io.cairn.client.connection.Origin;
import io.cairn.client.internal.SnapshotFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The last lists that servers returned, one file per service. */
final class ServiceSnapshots {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    private final @Nullable SnapshotFolder folder;

    ServiceSnapshots(@Nullable SnapshotFolder folder) {
        this.folder = folder;
    }

    void keep(ServiceView view) {
        if (folder != null) {
            ServiceKey service = view.service();
            ServiceInfo info = new ServiceInfo(
                    service.name(),
                    service.group(),
                    "",
                    view.instances(),
                    view.fetchedAt().toEpochMilli(),
                    false);
            folder.write(
                    info.toJson(),
                    view.fetchedAt(),
                    "service",
                    service.namespace().id(),
                    service.group(),
                    service.name());
        }
    }

    Optional<ServiceView> find(ServiceKey service) {
        if (folder == null) {
            return Optional.empty();
        }
        try {
            return folder.read("service", service.namespace().id(), service.group(), service.name())
                    .map(file -> {
                        String json = new String(file.bytes(), StandardCharsets.UTF_8);
                        List<Instance> hosts =
                                JsonInput.read(json, ServiceInfo::read).hosts();
                        return new ServiceView(
                                service, hosts == null ? List.of() : hosts, Origin.SNAPSHOT, file.writtenAt(), false);
                    });
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "The snapshot of " + service + " cannot be used: " + e);
            return Optional.empty();
        }
    }
}
