package io.cairn.benchmark.bare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.ProtoWriter;
import io.cairn.benchmark.wire.ResourceKind;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * ADS with nothing behind it: answers the first request of each type, sends the endpoints of a service when they change, and
 * takes everything else for an acknowledgement.
 */
final class BareMesh {
    private static final String SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService";
    private static final Pattern SCOPE = Pattern.compile(NamingMessages.GROUP + "@@([a-z0-9-]+-)\\*");
    private static final Pattern ADDRESS = Pattern.compile("\"ip\":\"([^\"]+)\",\"port\":(\\d+)");

    private final BareNaming naming;

    BareMesh(BareNaming naming) {
        this.naming = naming;
    }

    ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(
                        BareGrpc.method(MethodType.BIDI_STREAMING, SERVICE + "/StreamAggregatedResources"),
                        new Streams(false))
                .addMethod(
                        BareGrpc.method(MethodType.BIDI_STREAMING, SERVICE + "/DeltaAggregatedResources"),
                        new Streams(true))
                .build();
    }

    private final class Streams implements ServerCallHandler<byte[], byte[]> {
        private final boolean delta;

        Streams(boolean delta) {
            this.delta = delta;
        }

        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
            call.sendHeaders(new Metadata());
            call.request(1);
            var stream = new Stream(call, delta);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(byte[] message) {
                    call.request(1);
                    stream.requested(new String(message, ISO_8859_1));
                }

                @Override
                public void onCancel() {
                    stream.end();
                }
            };
        }
    }

    private final class Stream {
        private final ServerCall<byte[], byte[]> call;
        private final boolean delta;
        private final AtomicLong nonce = new AtomicLong();
        private final Set<ResourceKind> answered = ConcurrentHashMap.newKeySet();
        private final ConcurrentHashMap<String, BareNaming.Subscriber> watched = new ConcurrentHashMap<>();
        private String scope = "";

        Stream(ServerCall<byte[], byte[]> call, boolean delta) {
            this.call = call;
            this.delta = delta;
        }

        void requested(String request) {
            Matcher scoped = SCOPE.matcher(request);
            if (scoped.find()) {
                scope = scoped.group(1);
            }
            for (ResourceKind kind : ResourceKind.values()) {
                if (request.contains(kind.typeUrl()) && answered.add(kind)) {
                    answer(kind);
                }
            }
        }

        private void answer(ResourceKind kind) {
            switch (kind) {
                case CLUSTERS ->
                    send(
                            kind,
                            naming.names(scope).stream()
                                    .map(name -> resource(kind, name, new ProtoWriter().field(1, full(name))))
                                    .toList());
                case ENDPOINTS -> {
                    List<String> names = naming.names(scope);
                    send(
                            kind,
                            names.stream()
                                    .map(name -> endpoints(name, naming.view(name)))
                                    .toList());
                    for (String name : names) {
                        BareNaming.Subscriber subscriber = view -> changed(name, view);
                        watched.put(name, subscriber);
                        naming.subscribe(name, subscriber);
                    }
                }
                case LISTENERS -> send(kind, List.of());
            }
        }

        private void changed(String name, String view) {
            send(ResourceKind.ENDPOINTS, List.of(endpoints(name, view)));
        }

        void end() {
            watched.forEach(naming::unsubscribe);
        }

        private void send(ResourceKind kind, List<ProtoWriter> resources) {
            var response = new ProtoWriter().field(1, "1");
            resources.forEach(resource -> response.field(2, resource));
            byte[] framed = response.field(4, kind.typeUrl())
                    .field(5, Long.toString(nonce.incrementAndGet()))
                    .framed();
            synchronized (this) {
                if (!call.isCancelled()) {
                    call.sendMessage(framed);
                }
            }
        }

        private ProtoWriter resource(ResourceKind kind, String name, ProtoWriter value) {
            var any = new ProtoWriter().field(1, kind.typeUrl()).field(2, value);
            return delta ? new ProtoWriter().field(1, "1").field(2, any).field(3, full(name)) : any;
        }

        private ProtoWriter endpoints(String name, String view) {
            var locality = new ProtoWriter();
            Matcher address = ADDRESS.matcher(view);
            while (address.find()) {
                var socket = new ProtoWriter().field(2, address.group(1)).number(3, Integer.parseInt(address.group(2)));
                var endpoint =
                        new ProtoWriter().field(1, new ProtoWriter().field(1, new ProtoWriter().field(1, socket)));
                locality.field(2, endpoint);
            }
            var assignment = new ProtoWriter().field(1, full(name)).field(2, locality);
            return resource(ResourceKind.ENDPOINTS, name, assignment);
        }

        private static String full(String name) {
            return NamingMessages.GROUP + "@@" + name;
        }
    }
}
