package io.cairn.client.grpc;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.naming.NamingClient;
import io.cairn.client.naming.ServiceView;
import io.cairn.client.naming.ServiceWatch;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.Status;
import io.grpc.StatusOr;
import io.grpc.SynchronizationContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The addresses of one service, for one channel. Used on the channel's synchronization context. */
public final class CairnNameResolver extends NameResolver {

    /** The weight of the instance behind an address. */
    public static final Attributes.Key<Double> WEIGHT = Attributes.Key.create("io.cairn.weight");
    /** The metadata of the instance behind an address. */
    public static final Attributes.Key<Map<String, String>> METADATA = Attributes.Key.create("io.cairn.metadata");

    private final NamingClient naming;
    private final ServiceKey service;
    private final SynchronizationContext context;
    private @Nullable ServiceWatch watch;
    private volatile boolean shutdown;

    CairnNameResolver(NamingClient naming, ServiceKey service, SynchronizationContext context) {
        this.naming = naming;
        this.service = service;
        this.context = context;
    }

    @Override
    public String getServiceAuthority() {
        return service.name();
    }

    @Override
    public void start(Listener2 listener) {
        // Changes that come while the channel is busy are merged into one by the client.
        ServiceWatch subscribed = naming.subscribe(service, change -> tell(listener, change.now()), context);
        watch = subscribed;
        subscribed.known().whenComplete((view, failure) -> {
            if (failure != null && !shutdown) {
                context.execute(() -> fail(
                        listener,
                        Status.UNAVAILABLE
                                .withDescription(service + " cannot be subscribed to: " + failure.getMessage())
                                .withCause(failure)));
            }
        });
    }

    private void tell(Listener2 listener, ServiceView view) {
        if (shutdown) {
            return;
        }
        List<EquivalentAddressGroup> addresses =
                view.healthy().stream().map(CairnNameResolver::address).toList();
        if (addresses.isEmpty()) {
            fail(
                    listener,
                    Status.UNAVAILABLE.withDescription(service + " has no healthy instance (of "
                            + view.instances().size() + " registered ones)"));
        } else {
            listener.onResult2(ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(addresses))
                    .build());
        }
    }

    private static void fail(Listener2 listener, Status why) {
        listener.onResult2(ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromStatus(why))
                .build());
    }

    private static EquivalentAddressGroup address(Instance instance) {
        return new EquivalentAddressGroup(
                new InetSocketAddress(instance.key().ip(), instance.key().port()),
                Attributes.newBuilder()
                        .set(WEIGHT, instance.weight())
                        .set(METADATA, instance.metadata())
                        .build());
    }

    @Override
    public void shutdown() {
        shutdown = true;
        ServiceWatch now = watch;
        if (now != null) {
            now.close();
        }
    }
}
