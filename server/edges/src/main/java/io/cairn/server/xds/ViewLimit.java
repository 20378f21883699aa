package io.cairn.server.xds;

import io.cairn.server.http2.GrpcStatus;
import org.jspecify.annotations.Nullable;

/** Limits how many views there are: a client chooses its scope, and each scope has a view with tables of its own. */
final class ViewLimit {

    private final MeshViews views;

    ViewLimit(MeshViews views) {
        this.views = views;
    }

    /** Null when there is room for the view, or it is there already. */
    Admission.@Nullable Refused refusal(ViewKey key) {
        if (views.views().size() < XdsLimits.MAX_VIEWS
                || views.views().stream().anyMatch(view -> view.key().equals(key))) {
            return null;
        }
        return new Admission.Refused(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "too many different kinds of clients (limit: " + XdsLimits.MAX_VIEWS
                        + "; clients with the same namespace, node.metadata.services and rights are of one kind)");
    }
}
