package io.cairn.server.wiring.lifecycle;

import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.LastKnownInstances;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.subscription.ServicePusher;

public record NamingLifecycle(
        Registry registry,
        RegistryView reads,
        Recovery recovery,
        StoredNaming stored,
        LastKnownInstances lastKnown,
        ServicePusher pusher) {

    void load() {
        stored.load();
    }

    /**
     * Restores registrations from before the restart, before clients connect.
     *
     * @param isKnownElsewhere whether other nodes know better, so that the stored ones are dropped
     */
    void recover(boolean isKnownElsewhere) {
        if (isKnownElsewhere) {
            lastKnown.discard();
        } else {
            lastKnown.recover();
        }
        lastKnown.start();
        pusher.start();
    }

    void opened() {
        recovery.startRecoveryWindow();
    }

    /** The server's stop disconnects clients: keeps their registrations, also on disk. */
    void freeze() {
        registry.freeze();
        lastKnown.close();
    }

    void stop() {
        pusher.close();
    }
}
