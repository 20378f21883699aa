package io.cairn.server.wiring.lifecycle;

import io.cairn.server.http.events.EventHub;
import io.cairn.server.subscription.ConfigListeners;

/** The HTTP requests that wait for events: long polls and event streams. */
public record HeldRequests(ConfigListeners listeners, EventHub events) {

    void release() {
        listeners.release();
        events.release();
    }
}
