package io.cairn.server.xds;

import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.stream.Admission;
import io.cairn.server.xds.view.MeshViews;
import org.jspecify.annotations.Nullable;

/** Limits the views: a client chooses its scope, and each scope has its own view. */
public final class ViewLimit {

    private final MeshViews views;
    private final int most;

    public ViewLimit(MeshViews views, int most) {
        this.views = views;
        this.most = most;
    }

    /** Null for a present view, or below the limit. */
    public Admission.@Nullable Refused refusal(ViewKey key) {
        if (views.views().size() < most
                || views.views().stream().anyMatch(view -> view.key().equals(key))) {
            return null;
        }
        return new Admission.Refused(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "too many different kinds of clients (limit cairn.xds.max-views: " + most
                        + "; clients with the same namespace, node.metadata.services and rights are of one kind)");
    }
}
