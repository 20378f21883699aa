package io.cairn.server.xds.stream;

import io.cairn.server.auth.Principal;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.xds.view.MeshView;

/** The answer to a client that requests a stream. */
public sealed interface Admission {

    record Admitted(Principal principal, MeshView view) implements Admission {}

    record Refused(GrpcStatus status, String why) implements Admission {}

    /** The answer is known at {@link XdsStream#resume}; until then messages are held. */
    enum Postponed implements Admission {
        INSTANCE
    }
}
