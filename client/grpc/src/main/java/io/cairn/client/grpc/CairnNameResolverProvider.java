package io.cairn.client.grpc;

import io.cairn.api.naming.ServiceKey;
import io.cairn.client.CairnClient;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * Resolves {@code cairn:///service} and {@code cairn:///group/service} with a client's registry. Channels follow the service
 * as instances are added and removed. Register the provider once, before the first such channel:
 *
 * <pre>{@code
 * NameResolverRegistry.getDefaultRegistry().register(new CairnNameResolverProvider(client));
 * ManagedChannel channel = ManagedChannelBuilder.forTarget("cairn:///orders")
 *         .defaultLoadBalancingPolicy("round_robin").build();
 * }</pre>
 *
 * <p>Addresses are the healthy, enabled instances with a weight above 0. Balancers read the weights from
 * {@link CairnNameResolver#WEIGHT}. Close the channels before the client.
 */
public final class CairnNameResolverProvider extends NameResolverProvider {

    /** The scheme of the targets. */
    public static final String SCHEME = "cairn";

    private final CairnClient client;

    public CairnNameResolverProvider(CairnClient client) {
        this.client = client;
    }

    @Override
    public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args arguments) {
        if (!SCHEME.equals(target.getScheme())) {
            return null;
        }
        Executor lookups = arguments.getOffloadExecutor();
        return new CairnNameResolver(
                client.naming(),
                service(target),
                arguments.getSynchronizationContext(),
                // A channel always passes an executor; other callers of a resolver may not.
                lookups == null ? ForkJoinPool.commonPool() : lookups);
    }

    private ServiceKey service(URI target) {
        String path = target.getPath() == null ? "" : target.getPath();
        String[] parts = path.startsWith("/") ? path.substring(1).split("/", -1) : new String[0];
        boolean blank = false;
        for (String part : parts) {
            blank |= part.isBlank();
        }
        if (blank || parts.length < 1 || parts.length > 2 || target.getAuthority() != null) {
            throw new IllegalArgumentException(
                    "target: '" + target + "' (expected: cairn:///service or cairn:///group/service)");
        }
        return parts.length == 1
                ? client.naming().service(parts[0])
                : client.naming().service(parts[0], parts[1]);
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        // Lower than DNS, so that DNS still resolves targets without a scheme.
        return 4;
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }
}
