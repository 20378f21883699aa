package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A proxy with one ADS stream on a connection of its own, which asks in Envoy's order: clusters, the endpoints of each, then
 * listeners when it has the endpoints. Acknowledges every response. Safe to call from any thread; the listener is called on
 * the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
public final class AdsConnection {
    private final AdsSubscription subscription;
    private final Channel channel;
    private final Http2Client http2;
    private final CompletableFuture<AdsConnection> complete;
    private final Responses responses;
    private Http2Client.@Nullable Stream stream;

    private AdsConnection(
            AdsSubscription subscription,
            Channel channel,
            Http2Client http2,
            CompletableFuture<AdsConnection> complete,
            ProxyListener listener) {
        this.subscription = subscription;
        this.channel = channel;
        this.http2 = http2;
        this.complete = complete;
        responses = new Responses(listener);
    }

    /** Completes when the first response of each type is here, with the endpoints of all services; fails with one line. */
    public static CompletableFuture<AdsConnection> open(
            Transport transport, InetSocketAddress address, AdsSubscription subscription, ProxyListener listener) {
        var complete = new CompletableFuture<AdsConnection>();
        var settled = new CompletableFuture<Void>();
        String authority = address.getHostString() + ":" + address.getPort();
        var http2 = new Http2Client(authority, false, transport.token(), () -> settled.complete(null));
        Channel channel = transport.connect(address, http2, settled);
        var connection = new AdsConnection(subscription, channel, http2, complete, listener);
        settled.whenComplete((done, failure) -> {
            if (failure == null) {
                channel.eventLoop().execute(connection::begin);
            } else {
                complete.completeExceptionally(failure);
            }
        });
        return complete;
    }

    private void begin() {
        stream = http2.open(subscription.path(), subscription.firstRequest(), false, responses);
    }

    public boolean isOpen() {
        return channel.isActive() && !http2.isLost();
    }

    public CompletableFuture<Void> close() {
        var closed = new CompletableFuture<Void>();
        channel.close().addListener(done -> closed.complete(null));
        return closed;
    }

    private void send(byte[] request) {
        if (stream != null) {
            stream.send(request);
        }
    }

    private final class Responses implements StreamListener, DiscoveryResponse.Resources {
        private final ProxyListener listener;
        /** The part that has come of a response that is larger than a frame. */
        private @Nullable ByteBuf partial;

        private @Nullable BitSet missingClusters;
        private @Nullable BitSet missingEndpoints;
        private boolean subscribedEndpoints;
        private boolean subscribedListeners;

        Responses(ProxyListener listener) {
            this.listener = listener;
            missingClusters = all();
            missingEndpoints = all();
        }

        private BitSet all() {
            var all = new BitSet(subscription.services());
            all.set(0, subscription.services());
            return all;
        }

        @Override
        public boolean takesPieces() {
            return true;
        }

        @Override
        public void piece(ByteBuf bytes, int index, int length, int left, boolean compressed) {
            if (partial == null && left == 0) {
                received(bytes, index, length);
                return;
            }
            if (partial == null) {
                partial = Unpooled.buffer(length + left);
            }
            partial.writeBytes(bytes, index, length);
            if (left == 0) {
                received(partial, 0, partial.readableBytes());
                partial = null;
            }
        }

        private void received(ByteBuf bytes, int index, int length) {
            var response = new DiscoveryResponse(bytes, index, length, subscription.delta());
            ResourceKind kind = response.kind();
            if (kind == null) {
                complete.completeExceptionally(
                        new IllegalStateException("a response of a type that was not asked for"));
                channel.close();
                return;
            }
            response.read(this);
            listener.received(length);
            send(subscription.acknowledge(kind, response.version(), response.nonce()));
            next(kind);
        }

        private void next(ResourceKind kind) {
            if (missingClusters == null && !subscribedEndpoints) {
                subscribedEndpoints = true;
                send(subscription.subscribe(ResourceKind.ENDPOINTS));
            } else if (missingEndpoints == null && !subscribedListeners) {
                subscribedListeners = true;
                send(subscription.subscribe(ResourceKind.LISTENERS));
            } else if (kind == ResourceKind.LISTENERS) {
                complete.complete(AdsConnection.this);
            }
        }

        @Override
        public void cluster(int service) {
            missingClusters = without(missingClusters, service);
        }

        @Override
        public void endpoints(int service, int count, int sumOfPorts) {
            missingEndpoints = without(missingEndpoints, service);
            listener.endpoints(service, count, sumOfPorts);
        }

        /** Null when nothing is missing any more, so that 1,600 proxies keep no sets. */
        private static @Nullable BitSet without(@Nullable BitSet missing, int service) {
            if (missing == null || service < 0) {
                return missing;
            }
            missing.clear(service);
            return missing.isEmpty() ? null : missing;
        }

        @Override
        public void message(Envelope message) {
            throw new IllegalStateException("takes pieces");
        }

        @Override
        public void end(@Nullable String failure) {
            complete.completeExceptionally(
                    new IllegalStateException("ADS stream: " + (failure == null ? "ended by the server" : failure)));
            listener.ended(failure);
            channel.close();
        }
    }
}
