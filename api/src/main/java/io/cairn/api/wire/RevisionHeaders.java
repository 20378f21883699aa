package io.cairn.api.wire;

/** Headers with revisions, over HTTP and gRPC. */
public final class RevisionHeaders {

    /**
     * The revision of the last change, in the response to a write. Over gRPC also the shown one, in the response to a read with {@link #MIN_REVISION}.
     */
    public static final String REVISION = "Cairn-Revision";

    /** The number of nodes that show the change, such as {@code 3/3}, in a cluster's response to a write. */
    public static final String VISIBLE = "Cairn-Visible";

    /** The revision that the node must show before it responds to a read. */
    public static final String MIN_REVISION = "Cairn-Min-Revision";

    /** The seconds of changes that a read may lack, because the node cannot read the stored state. */
    public static final String STALE = "Cairn-Stale";

    private RevisionHeaders() {}
}
