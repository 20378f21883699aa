package io.cairn.server.xds;

import io.cairn.server.http2.GrpcStatus;
import org.jspecify.annotations.Nullable;

/** Limits how many views there are: a client chooses its scope, and each scope has a view with tables of its own. */
final class ViewLimit {

    private final MeshViews views;
    private final int most;

    ViewLimit(MeshViews views, int most) {
        this.views = views;
        this.most = most;
    }

    /** Null when there is room for the view, or it is there already. */
    Admission.@Nullable Refused refusal(ViewKey key) {
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
