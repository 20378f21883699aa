package io.cairn.server.wiring;

import io.cairn.server.naming.LastKnownInstances;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.subscription.ServicePusher;

/** Starts and stops the registry's parts in their order. */
record NamingLifecycle(NamingService naming, StoredNaming stored, LastKnownInstances lastKnown, ServicePusher pusher) {

    /** Fills the registry, before clients are taken. */
    void load() {
        stored.load();
        lastKnown.recover();
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
