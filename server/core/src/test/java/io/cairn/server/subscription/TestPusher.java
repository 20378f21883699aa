package io.cairn.server.subscription;

import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.Timer;
import java.time.Duration;

/** A pusher of services with the timings of production. */
public final class TestPusher {

    private TestPusher() {}

    public static ServicePusher of(
            RegistryParts naming, ServiceSubscriptions subscriptions, Timer timer, String address) {
        return new ServicePusher(
                naming.reads(),
                naming.switches(),
                subscriptions,
                new RequestIds(),
                new PushKind(
                        new PushSettings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMinutes(1), 50),
                        new PushMeters(new SimpleMeterRegistry(), "service")),
                timer,
                address);
    }
}
