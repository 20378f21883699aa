package io.cairn.api.wire;

/** The headers by which nodes say how far they show changes: of requests and responses over HTTP, and of messages over gRPC. */
public final class RevisionHeaders {

    /**
     * In the response to a change of configurations: the revision of the last change that the request has made. In the response
     * over gRPC to a read that names a {@link #MIN_REVISION}: the revision that the node shows.
     */
    public static final String REVISION = "Cairn-Revision";

    /** In the same response of a node in a cluster: how many nodes of how many show the change, as in {@code 3/3}. */
    public static final String VISIBLE = "Cairn-Visible";

    /** In a read: the revision that the node must show before it answers. */
    public static final String MIN_REVISION = "Cairn-Min-Revision";

    private RevisionHeaders() {}
}
