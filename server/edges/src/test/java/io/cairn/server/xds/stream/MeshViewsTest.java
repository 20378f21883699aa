package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.EDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.ServiceListener.Presence;
import io.cairn.server.xds.resource.Flavour;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.MeshPace;
import io.cairn.server.xds.view.MeshThread;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.MeshViews;
import io.cairn.server.xds.view.Subscription;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The views and the thread of the mesh, whose rounds the tests drive by hand. */
class MeshViewsTest {

    private static final ServiceKey ORDERS = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");

    private final FakeMesh forGrpc = new FakeMesh();
    private final FakeMesh forOthers = new FakeMesh();
    private final MeshViews views = new MeshViews(
            key -> key.flavour() == Flavour.GRPC ? forGrpc : forOthers,
            10_000,
            new DiscoveryMessages("cairn@test"),
            () -> 1,
            unused -> new Thread(() -> {}));

    @AfterEach
    void close() {
        views.close();
    }

    private static ViewKey key(Flavour flavour) {
        ViewKey any = new FakeMesh().view.key();
        return new ViewKey(
                any.namespace(), null, flavour, any.labels(), any.services(), any.configurations(), any.reader());
    }

    private MeshView withOrders(Flavour flavour, FakeMesh resources) {
        resources.set(EDS, "1", "orders");
        MeshView view = views.enter(key(flavour));
        view.subscribe(new Subscription.Key(EDS, false, Set.of("orders")), resources.sotw().stream);
        views.turn();
        assertThat(view.state().table(EDS).get("orders")).isNotNull();
        return view;
    }

    @Test
    void viewThatFailsHoldsUpNoOther() {
        MeshView grpc = withOrders(Flavour.GRPC, forGrpc);
        MeshView envoy = withOrders(Flavour.ENVOY, forOthers);
        MeshView mosn = withOrders(Flavour.MOSN, forOthers);
        forGrpc.set(EDS, "2", "orders");
        forOthers.set(EDS, "2", "orders");
        forGrpc.broken = true;
        views.changed(ORDERS, Presence.SAME);
        views.turn();
        assertThat(grpc.state().revision()).isEqualTo(1);
        assertThat(envoy.state().revision()).isEqualTo(2);
        assertThat(mosn.state().revision()).isEqualTo(2);
    }

    @Test
    void viewLooksOnceMoreAtWhatIsStoredAfterItIsAmongTheOthers() {
        views.enter(key(Flavour.ENVOY));
        views.turn();
        assertThat(forOthers.storedTaken).isEqualTo(1);
        views.enter(key(Flavour.ENVOY));
        views.turn();
        assertThat(forOthers.storedTaken).isEqualTo(1);
        views.storedChanged(Namespace.DEFAULT);
        views.turn();
        assertThat(forOthers.storedTaken).isEqualTo(2);
    }

    @Test
    void threadGoesOnAfterAnError() {
        AtomicInteger rounds = new AtomicInteger();
        MeshThread thread = new MeshThread(
                () -> {
                    if (rounds.incrementAndGet() == 1) {
                        throw new LinkageError("of a round");
                    }
                    return 7;
                },
                Thread::new);
        AtomicInteger tasks = new AtomicInteger();
        thread.execute(() -> {
            throw new LinkageError("of a task");
        });
        thread.execute(tasks::incrementAndGet);
        assertThat(thread.turn()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        assertThat(tasks).hasValue(1);
        assertThat(thread.turn()).isEqualTo(7);
    }

    @Test
    void smallPublicationMakesTheRestNoShorter() {
        MeshPace pace = new MeshPace();
        pace.published(0, 100_000, 0);
        assertThat(pace.coolDownNanos(0)).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        pace.published(10, 1, 100);
        assertThat(pace.coolDownNanos(10)).isEqualTo(TimeUnit.SECONDS.toNanos(1) - 10);
        pace.published(20, 150_000, 0);
        assertThat(pace.coolDownNanos(20)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1_500));
        assertThat(pace.coolDownNanos(TimeUnit.SECONDS.toNanos(2))).isZero();
    }
}
