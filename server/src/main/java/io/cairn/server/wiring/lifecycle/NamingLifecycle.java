package io.cairn.server.wiring.lifecycle;

import io.cairn.server.naming.LastKnownInstances;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.subscription.ServicePusher;

/** Starts and stops the registry's parts in their order. */
public record NamingLifecycle(
        NamingService naming, StoredNaming stored, LastKnownInstances lastKnown, ServicePusher pusher) {

    /** Fills the registry with what is stored. */
    void load() {
        stored.load();
    }

    /**
     * Adds what clients of this server registered before it was restarted. Clients are taken afterwards.
     *
     * @param isKnownElsewhere whether other nodes know it better, so that what this one remembers is forgotten
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

    /** Clients are taken from now on. */
    void opened() {
        naming.startRecoveryWindow();
    }

    /** Clients will go because the server does: what they have registered stays as it is, and is remembered so. */
    void freeze() {
        naming.freeze();
        lastKnown.close();
    }

    void stop() {
        pusher.close();
    }
}
