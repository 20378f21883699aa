package io.cairn.benchmark.bare;

import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.Envelope.Member;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The two gRPC services, on byte arrays and without their own threads. */
final class BareGrpc {
    private static final int PREFIX_BYTES = 5;
    private static final Attributes.Key<Line> LINE = Attributes.Key.create("line");
    private static final Pattern LISTENED = Pattern.compile("\"dataId\":\"([^\"]+)\"[^}]*?\"md5\":\"([^\"]*)\"");
    private static final byte[] NOT_FOUND = Envelope.write(
            "ConfigQueryResponse",
            "{\"resultCode\":500,\"errorCode\":300,\"message\":\"config data not exist\",\"lastModified\":0,"
                    + "\"beta\":false,\"success\":false}");
    private static final byte[] UNREGISTERED = Envelope.write(
            "ErrorResponse",
            "{\"resultCode\":301,\"errorCode\":301,\"message\":\"Connection is unregistered.\",\"success\":false}");

    private final BareStore store;
    private final BareNaming naming;
    private final ServerServiceDefinition mesh;
    private final LongAdder acknowledged = new LongAdder();
    private volatile boolean muted;

    BareGrpc(BareStore store, BareNaming naming, ServerServiceDefinition mesh) {
        this.store = store;
        this.naming = naming;
        this.mesh = mesh;
    }

    long acknowledged() {
        return acknowledged.sum();
    }

    void mute(boolean quiet) {
        muted = quiet;
    }

    List<ServerServiceDefinition> services() {
        return List.of(
                mesh,
                ServerServiceDefinition.builder("Request")
                        .addMethod(method(MethodType.UNARY, "Request/request"), new Unary())
                        .build(),
                ServerServiceDefinition.builder("BiRequestStream")
                        .addMethod(method(MethodType.BIDI_STREAMING, "BiRequestStream/requestBiStream"), new Pushes())
                        .build());
    }

    static MethodDescriptor<byte[], byte[]> method(MethodType type, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(name)
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
    }

    private static byte[] done(String requestType) {
        return answer(requestType.replace("Request", "Response"), "");
    }

    private static byte[] answer(String type, String members) {
        return Envelope.write(type, "{\"resultCode\":200,\"errorCode\":0," + members + "\"success\":true}");
    }

    /** The state of one transport. */
    final class Lines extends ServerTransportFilter {
        @Override
        public Attributes transportReady(Attributes attributes) {
            return attributes.toBuilder().set(LINE, new Line()).build();
        }

        @Override
        public void transportTerminated(Attributes attributes) {
            Line line = attributes.get(LINE);
            if (line != null) {
                store.forget(line);
                naming.forget(line);
            }
        }
    }

    private final class Line implements BareStore.Listener, BareNaming.Subscriber {
        private final AtomicLong requestIds = new AtomicLong();
        private volatile @Nullable ServerCall<byte[], byte[]> stream;

        @Override
        public void changed(String dataId) {
            send(
                    "ConfigChangeNotifyRequest",
                    "\"dataId\":\"" + dataId + "\",\"group\":\"CAIRN_BENCHMARK\",\"module\":\"config\"}");
        }

        @Override
        public void push(String view) {
            send("NotifySubscriberRequest", "\"serviceInfo\":" + view + ",\"module\":\"naming\"}");
        }

        private void send(String type, String members) {
            ServerCall<byte[], byte[]> open = stream;
            if (open == null || muted) {
                return;
            }
            byte[] push = Envelope.write(
                    type, "{\"headers\":{},\"requestId\":\"" + requestIds.incrementAndGet() + "\"," + members);
            synchronized (this) {
                if (!open.isCancelled()) {
                    open.sendMessage(push);
                }
            }
        }
    }

    private final class Unary implements ServerCallHandler<byte[], byte[]> {
        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
            call.request(1);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(byte[] message) {
                    call.sendHeaders(new Metadata());
                    call.sendMessage(answerTo(call, message));
                    call.close(Status.OK, new Metadata());
                }
            };
        }
    }

    private byte[] answerTo(ServerCall<byte[], byte[]> call, byte[] message) {
        Envelope request = Envelope.read(Unpooled.wrappedBuffer(message), 0, message.length);
        Line line = call.getAttributes().get(LINE);
        String type = request.type();
        if (line == null || (line.stream == null && !type.equals("ServerCheckRequest"))) {
            return UNREGISTERED;
        }
        String dataId = request.member(Member.DATA_ID);
        switch (type) {
            case "ConfigQueryRequest" -> {
                BareStore.Stored stored = dataId == null ? null : store.find(dataId);
                return stored == null ? NOT_FOUND : stored.answer();
            }
            case "ConfigPublishRequest" -> {
                if (dataId != null) {
                    store.publish(dataId, content(request.body()));
                }
                return done(type);
            }
            case "ConfigRemoveRequest" -> {
                if (dataId != null) {
                    store.remove(dataId);
                }
                return done(type);
            }
            case "ConfigBatchListenRequest" -> {
                return listen(line, request.body());
            }
            default -> {
                String service = request.member(Member.SERVICE_NAME);
                return service == null ? done(type) : answerTo(line, type, service, request.body());
            }
        }
    }

    private byte[] answerTo(Line line, String type, String service, String body) {
        switch (type) {
            case "InstanceRequest" -> {
                boolean leaves = body.contains("\"type\":\"deregisterInstance\"");
                naming.publish(service, line, leaves ? List.of() : BareNaming.objects(body, "instance"));
                return done(type);
            }
            case "BatchInstanceRequest" -> {
                naming.publish(service, line, BareNaming.objects(body, "instances"));
                return done(type);
            }
            case "SubscribeServiceRequest" -> {
                naming.subscribe(service, line);
                return answer("SubscribeServiceResponse", "\"serviceInfo\":" + naming.view(service) + ",");
            }
            default -> {
                return answer("QueryServiceResponse", "\"serviceInfo\":" + naming.view(service) + ",");
            }
        }
    }

    private byte[] listen(Line line, String body) {
        var changed = new StringBuilder();
        Matcher listened = LISTENED.matcher(body);
        while (listened.find()) {
            if (store.listen(listened.group(1), listened.group(2), line)) {
                changed.append(changed.isEmpty() ? "" : ",")
                        .append("{\"dataId\":\"")
                        .append(listened.group(1))
                        .append("\",\"group\":\"CAIRN_BENCHMARK\"}");
            }
        }
        return answer("ConfigChangeBatchListenResponse", "\"changedConfigs\":[" + changed + "],");
    }

    private static String content(String body) {
        String opening = "\"content\":\"";
        int start = body.indexOf(opening) + opening.length();
        int end = start;
        while (body.charAt(end) != '"') {
            end += body.charAt(end) == '\\' ? 2 : 1;
        }
        return body.substring(start, end);
    }

    private final class Pushes implements ServerCallHandler<byte[], byte[]> {
        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
            call.sendHeaders(new Metadata());
            call.request(1);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(byte[] message) {
                    call.request(1);
                    String type = Envelope.read(Unpooled.wrappedBuffer(message), 0, message.length)
                            .type();
                    Line line = call.getAttributes().get(LINE);
                    if (type.equals("ConnectionSetupRequest") && line != null) {
                        line.stream = call;
                    } else {
                        acknowledged.increment();
                    }
                }
            };
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        /** @param framed as written by {@link Envelope}; gRPC writes the length prefix itself */
        @Override
        public InputStream stream(byte[] framed) {
            return new ByteArrayInputStream(framed, PREFIX_BYTES, framed.length - PREFIX_BYTES);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
