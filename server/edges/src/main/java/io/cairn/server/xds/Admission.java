package io.cairn.server.xds;

import io.cairn.server.auth.Principal;
import io.cairn.server.http2.GrpcStatus;

/** The answer to a client that wants a stream. */
sealed interface Admission {

    /** @param view which the stream has entered */
    record Admitted(Principal principal, MeshView view) implements Admission {}

    record Refused(GrpcStatus status, String why) implements Admission {}

    /** The answer is known once {@link XdsStream#resume} is called; until then the messages are held. */
    enum Postponed implements Admission {
        INSTANCE
    }
}
