package io.cairn.server.subscription.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.subscription.HttpReaders;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.HashedWheelTimer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How one subscriber ends; the server's socket is never opened. */
class UdpSubscriberTest {

    private static final Selection ALL =
            new Selection(new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders"), "");
    private static final long EXPIRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final EventLoopGroup loops = new DefaultEventLoopGroup(1);
    private final SettableClock clock = new SettableClock();
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final UdpSubscribers home = home();

    private UdpSubscribers home() {
        Duration minute = Duration.ofMinutes(1);
        RegistryParts naming =
                RegistryParts.of(new NamingSettings(minute, minute, minute, true), new Switches(), timer, clock);
        PushSettings settings =
                new PushSettings(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(9), 9);
        PushKind kind = new PushKind(settings, new PushMeters(new SimpleMeterRegistry(), "service"));
        return new UdpSubscribers(
                naming.reads(),
                naming.switches(),
                new ServicePusher(
                        naming.reads(), naming.switches(), subscriptions, new RequestIds(), kind, timer, "127.0.0.1"),
                subscriptions,
                new HttpReaders(() -> 10_000, timer, System::nanoTime),
                timer,
                UdpSubscribers.Limits.USUAL,
                new UdpSubscribers.Socket(loops, NioDatagramChannel::new, InetAddress.getLoopbackAddress(), false),
                clock);
    }

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        timer.stop();
    }

    private UdpSubscriber subscriber(int port) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        UdpSubscriber subscriber = new UdpSubscriber(
                home, new UdpSubscriber.Key(ALL, address), "agent", "app", EXPIRY_NANOS, 0, clock.millis());
        subscriber.watches(subscriptions.watch(ALL, subscriber));
        return subscriber;
    }

    @Test
    void subscriberThatLostItsRightIsNotCountedAgainWhenItExpires() {
        UdpSubscriber ended = subscriber(4000);
        subscriber(4001);
        assertThat(ended.endUnless((principal, watched) -> false)).isTrue();
        assertThat(subscriptions.pairs()).isEqualTo(1);

        assertThat(ended.closeIfOverdue(EXPIRY_NANOS)).isZero();

        assertThat(subscriptions.pairs()).isEqualTo(1);
        assertThat(subscriptions.of(ALL.service())).hasSize(1);
    }

    @Test
    void subscriberExpiresAfterItsLastList() {
        UdpSubscriber subscriber = subscriber(4000);

        assertThat(subscriber.closeIfOverdue(EXPIRY_NANOS - 1)).isOne();
        assertThat(subscriber.isClosed()).isFalse();
        assertThat(subscriber.closeIfOverdue(EXPIRY_NANOS)).isZero();

        assertThat(subscriber.isClosed()).isTrue();
        assertThat(subscriptions.pairs()).isZero();
    }
}
