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
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Resolves one service for one channel, on the channel's synchronization context. Host names of instances are resolved on
 * the channel's offload executor.
 */
public final class CairnNameResolver extends NameResolver {

    /** The weight of the instance behind an address. */
    public static final Attributes.Key<Double> WEIGHT = Attributes.Key.create("io.cairn.weight");
    /** The metadata of the instance behind an address. */
    public static final Attributes.Key<Map<String, String>> METADATA = Attributes.Key.create("io.cairn.metadata");

    private final NamingClient naming;
    private final ServiceKey service;
    private final SynchronizationContext context;
    private final Executor lookups;
    private @Nullable ServiceWatch watch;
    /** The number of states received; used on the context. */
    private long states;

    private volatile boolean shutdown;

    /** @param lookups runs the blocking DNS queries */
    CairnNameResolver(NamingClient naming, ServiceKey service, SynchronizationContext context, Executor lookups) {
        this.lookups = lookups;
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
        // The client merges changes that arrive while the channel is busy.
        ServiceWatch subscribed = naming.subscribe(service, change -> update(listener, change.now()), context);
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

    private void update(Listener2 listener, ServiceView view) {
        if (shutdown) {
            return;
        }
        long state = ++states;
        List<Instance> healthy = view.healthy();
        if (healthy.isEmpty()) {
            fail(
                    listener,
                    Status.UNAVAILABLE.withDescription(service + " has no healthy instance (of "
                            + view.instances().size() + " registered ones)"));
        } else if (healthy.stream()
                .allMatch(instance -> isAddress(instance.key().ip()))) {
            show(listener, healthy.stream().map(CairnNameResolver::address).toList());
        } else {
            lookups.execute(() -> {
                List<EquivalentAddressGroup> found = healthy.stream()
                        .map(CairnNameResolver::address)
                        .filter(CairnNameResolver::isResolved)
                        .toList();
                context.execute(() -> {
                    // A state that arrived during the lookup is newer.
                    if (!shutdown && state == states) {
                        showFound(listener, found, healthy);
                    }
                });
            });
        }
    }

    private void showFound(Listener2 listener, List<EquivalentAddressGroup> found, List<Instance> healthy) {
        if (found.isEmpty()) {
            fail(
                    listener,
                    Status.UNAVAILABLE.withDescription(service + ": the names of its hosts are not known here, such as "
                            + healthy.get(0).key().ip()));
        } else {
            show(listener, found);
        }
    }

    private static void show(Listener2 listener, List<EquivalentAddressGroup> addresses) {
        listener.onResult2(ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromValue(addresses))
                .build());
    }

    /** Whether the host is an address, which needs no lookup. */
    static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
    }

    private static boolean isResolved(EquivalentAddressGroup group) {
        return group.getAddresses().stream()
                .noneMatch(address -> address instanceof InetSocketAddress ip && ip.isUnresolved());
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
