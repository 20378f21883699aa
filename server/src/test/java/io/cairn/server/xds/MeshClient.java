package io.cairn.server.xds;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import io.grpc.Status;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** An Envoy that asks for all clusters. */
public final class MeshClient implements AutoCloseable {

    private final AdsClient wire;
    private Frames.Response last;

    private MeshClient(AdsClient wire) {
        this.wire = wire;
    }

    public static MeshClient open(int port, Map<String, String> headers, Map<String, String> metadata) {
        return new MeshClient(AdsClient.open(port, false, headers, Frames.node("envoy-1", "envoy", metadata)));
    }

    /** The names of the clusters of the first response. */
    public Set<String> clusters() throws InterruptedException {
        wire.ask(XdsType.CDS, "");
        return nextClusters();
    }

    public Set<String> nextClusters() throws InterruptedException {
        last = wire.next();
        return last.resources().keySet();
    }

    public void acknowledge() {
        wire.ask(XdsType.CDS, last.nonce());
    }

    public void refuse(String why) {
        wire.refuse(last, why);
    }

    /** Status and text of the end of the stream, after a first request. */
    public String endAfterAsking() throws Exception {
        wire.ask(XdsType.CDS, "");
        return end();
    }

    /** Status and text of the end of the stream. */
    public String end() throws Exception {
        Status status = wire.end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return status.getCode() + " " + status.getDescription();
    }

    @Override
    public void close() {
        wire.close();
    }
}
