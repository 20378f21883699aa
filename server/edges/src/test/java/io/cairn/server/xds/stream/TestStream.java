package io.cairn.server.xds.stream;

import io.cairn.api.wire.Framed;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.xds.resource.XdsType;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's side of a stream: sends requests frame by frame and reads the responses. */
public final class TestStream {

    public static final String ENVOY = "envoy";

    public final FakeCall call = new FakeCall();
    public final XdsStream stream;
    private final FakeMesh mesh;
    private final boolean delta;
    private boolean introduced;
    private String nodeId = "sidecar-1";

    public TestStream(FakeMesh mesh, boolean delta) {
        this.mesh = mesh;
        this.delta = delta;
        this.stream = mesh.newStream(call, delta);
    }

    /** Records what the server sends. */
    public static final class FakeCall implements Call {

        private final EmbeddedChannel channel = new EmbeddedChannel();
        private final ArrayDeque<byte[]> sent = new ArrayDeque<>();
        boolean ready = true;
        /** Runs when a response is sent. */
        Runnable onSend = () -> {};
        /** How often the channel was asked for. */
        int channelsAsked;

        @Nullable
        GrpcStatus status;

        @Nullable
        String why;

        @Override
        public EmbeddedChannel channel() {
            channelsAsked++;
            return channel;
        }

        @Override
        public String userAgent() {
            return "";
        }

        @Override
        public Credentials credentials() {
            return new Credentials("", "");
        }

        @Override
        public boolean isReady() {
            return ready && status == null;
        }

        @Override
        public void sendHeaders() {}

        @Override
        public void send(Framed message) {
            sent.add(message.encoded());
            onSend.run();
        }

        @Override
        public void finish(GrpcStatus with, @Nullable String text) {
            status = with;
            why = text;
        }

        @Override
        public void answer(Framed message) {
            throw new AssertionError("not a unary call");
        }
    }

    public TestStream named(String id) {
        nodeId = id;
        return this;
    }

    /** The responses that have come since this was called last. */
    public List<Frames.Response> received() {
        mesh.settle();
        List<Frames.Response> all = new ArrayList<>();
        for (byte[] next = call.sent.poll(); next != null; next = call.sent.poll()) {
            all.add(Frames.read(next, delta));
        }
        return all;
    }

    /** The only response that has come since. */
    public Frames.Response only() {
        List<Frames.Response> all = received();
        if (all.size() != 1) {
            throw new AssertionError("expected one response, but got " + all);
        }
        return all.get(0);
    }

    public void passTime(int seconds) {
        call.channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        call.channel.runScheduledPendingTasks();
    }

    public void send(Frames.Message request) {
        stream.onMessage(request.toBytes());
        mesh.settle();
    }

    private Frames.Message begun(int nodeField) {
        Frames.Message request = new Frames.Message();
        if (!introduced) {
            introduced = true;
            request.message(nodeField, Frames.node(nodeId, ENVOY, Map.of()));
        }
        return request;
    }

    /** SotW: a request with these names; no nonce for a subscription. */
    public void ask(XdsType type, String nonce, String... names) {
        send(begun(2).texts(3, List.of(names)).text(4, type.typeUrl()).text(5, nonce));
    }

    /** SotW: acknowledges. */
    public void ack(Frames.Response response, String... names) {
        send(begun(2).text(1, response.version())
                .texts(3, List.of(names))
                .text(4, XdsType.named(response.type()).typeUrl())
                .text(5, response.nonce()));
    }

    /** SotW: refuses. */
    public void nack(Frames.Response response, String why, String... names) {
        send(begun(2).texts(3, List.of(names))
                .text(4, XdsType.named(response.type()).typeUrl())
                .text(5, response.nonce())
                .message(6, Frames.error(why)));
    }

    /** Delta: subscribes and drops. */
    public void change(XdsType type, List<String> added, List<String> dropped, Map<String, String> versions) {
        Frames.Message request =
                begun(1).text(2, type.typeUrl()).texts(3, added).texts(4, dropped);
        versions.forEach((name, version) ->
                request.message(5, new Frames.Message().text(1, name).text(2, version)));
        send(request);
    }

    public void subscribe(XdsType type, String... names) {
        change(type, List.of(names), List.of(), Map.of());
    }

    /** Delta: acknowledges. */
    public void ackDelta(Frames.Response response) {
        send(begun(1).text(2, XdsType.named(response.type()).typeUrl()).text(6, response.nonce()));
    }

    /** Delta: refuses. */
    public void nackDelta(Frames.Response response, String why) {
        send(begun(1).text(2, XdsType.named(response.type()).typeUrl())
                .text(6, response.nonce())
                .message(7, Frames.error(why)));
    }
}
