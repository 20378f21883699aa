package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.EDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.naming.registry.ServiceListener.Presence;
import io.cairn.server.xds.resource.Flavour;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.EndpointWait;
import io.cairn.server.xds.view.MeshPace;
import io.cairn.server.xds.view.MeshThread;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.MeshViews;
import io.cairn.server.xds.view.Subscriber;
import io.cairn.server.xds.view.Subscription;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
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

    /** A stream whose acknowledgement a test sets. */
    private static final class FakeSubscriber implements Subscriber {

        boolean behind = true;

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void advance() {}

        @Override
        public void end(GrpcStatus status, @Nullable String why) {}

        @Override
        public boolean isBehind(ServiceKey service) {
            return behind;
        }
    }

    private FakeSubscriber subscribed(MeshView view, String name) {
        FakeSubscriber stream = new FakeSubscriber();
        view.subscribe(new Subscription.Key(EDS, false, Set.of(name)), stream);
        views.turn();
        return stream;
    }

    @Test
    void waitEndsWhenAllStreamsWithTheEndpointsHaveAcknowledged() {
        MeshView envoy = withOrders(Flavour.ENVOY, forOthers);
        FakeSubscriber one = subscribed(envoy, "orders");
        FakeSubscriber two = subscribed(envoy, "orders");
        subscribed(envoy, "other");
        CompletableFuture<EndpointWait.Result> result =
                views.await(ORDERS).result().toCompletableFuture();
        views.turn();
        one.behind = false;
        views.answered();
        views.turn();
        assertThat(result).isNotDone();

        two.behind = false;
        views.answered();
        views.turn();

        // The third is the stream of the view itself, which has sent no request.
        assertThat(result).isCompletedWithValue(new EndpointWait.Result(3, List.of()));
    }

    @Test
    void waitThatIsGivenUpNamesTheStreamsThatAreBehind() {
        MeshView envoy = withOrders(Flavour.ENVOY, forOthers);
        FakeSubscriber one = subscribed(envoy, "orders");
        EndpointWait wait = views.await(ORDERS);

        views.giveUp(wait);
        views.turn();

        assertThat(wait.result().toCompletableFuture()).isCompletedWithValue(new EndpointWait.Result(2, List.of(one)));
    }

    @Test
    void streamsOfANodeThatDoesNotShowTheChangeAreAllBehind() {
        MeshView envoy = withOrders(Flavour.ENVOY, forOthers);
        subscribed(envoy, "orders").behind = false;
        CompletableFuture<EndpointWait.Result> missed =
                views.missed(ORDERS).result().toCompletableFuture();
        views.turn();
        assertThat(missed.join().behind()).hasSize(2);
    }

    @Test
    void waitFailsWhenTheServerStops() {
        withOrders(Flavour.ENVOY, forOthers);
        EndpointWait wait = views.await(ORDERS);
        views.close();
        assertThat(wait.result().toCompletableFuture()).isCompletedExceptionally();
        assertThat(views.await(ORDERS).result().toCompletableFuture()).isCompletedExceptionally();
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
