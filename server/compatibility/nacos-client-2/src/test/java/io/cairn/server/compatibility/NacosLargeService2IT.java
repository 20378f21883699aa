package io.cairn.server.compatibility;

import org.junit.jupiter.api.parallel.Isolated;

/** Alone in its JVM: beside load, the collections of 100,000 received instances would stop the clients of other tests for longer than their limits. */
@Isolated
class NacosLargeService2IT extends LargeServiceScenarios {
    NacosLargeService2IT() {
        super(5_000, 20);
    }
}
