package io.cairn.server.naming.health;

import java.util.concurrent.CompletionStage;

@FunctionalInterface
interface Probe {

    /**
     * Never blocks. Completes within a few seconds, never with an exception for the target's condition.
     *
     * @param check of any type but NONE
     */
    CompletionStage<ProbeResult> check(String host, int port, HealthCheck check);
}
