package io.cairn.server.naming.health;

import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Health checks on a timer that a test moves, whose results the test sets. */
public final class HandDrivenChecks {

    private final List<String> probed = new ArrayList<>();
    private final HealthChecks checks;
    private ProbeResult next = ProbeResult.passed("well");

    public HandDrivenChecks(HandDrivenLoop timer) {
        this.checks = new HealthChecks(
                (host, port, check) -> {
                    probed.add(host + ':' + port);
                    return CompletableFuture.completedFuture(next);
                },
                () -> {},
                timer,
                HealthCheckSettings::defaults,
                new SimpleMeterRegistry(),
                bound -> 0,
                timer::nanoTime,
                HealthChecks.MAX_UNDER_WAY);
    }

    public HealthChecks checks() {
        return checks;
    }

    /** From now on, probes find the instances answering. */
    public void pass() {
        next = ProbeResult.passed("well");
    }

    /** From now on, probes find the instances down, which one probe suffices for. */
    public void down() {
        next = ProbeResult.down("refused");
    }

    /** The addresses that were probed since the last call, in their order. */
    public List<String> takeProbed() {
        List<String> taken = List.copyOf(probed);
        probed.clear();
        return taken;
    }
}
