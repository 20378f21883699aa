package io.cairn.server.wiring.lifecycle;

import io.cairn.server.http.events.EventHub;
import io.cairn.server.subscription.ConfigListeners;

/** The HTTP requests that stay open until something happens: long polls and event streams. */
public record HeldRequests(ConfigListeners listeners, EventHub events) {

    /** Answers all of them. */
    void release() {
        listeners.release();
        events.release();
    }
}
