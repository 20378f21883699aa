package io.cairn.server;

import io.cairn.server.wiring.settings.InternalTimings;

/** The way of tests to a server whose internal timings are not those of production. */
public final class TimedServer {

    private TimedServer() {}

    public static CairnServer.Builder builder(InternalTimings timings) {
        return CairnServer.builder().timings(timings);
    }
}
