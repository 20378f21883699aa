package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.rpc.RpcAuthorizer;

/** Records instances with refused registrations over gRPC; their connection is their heartbeat. */
public final class RegistrationRefusals implements RpcAuthorizer.Refusals {

    private final RefusedBeats beats;
    private final RegistryView reads;

    public RegistrationRefusals(RefusedBeats beats, RegistryView reads) {
        this.beats = beats;
        this.reads = reads;
    }

    @Override
    public void refused(RpcAuthorizer.Refusal<?> refusal) {
        note(refusal);
    }

    private <T> void note(RpcAuthorizer.Refusal<T> refusal) {
        if (!(refusal.handler() instanceof RegistrationHandler<T> handler)) {
            return;
        }
        // A connection with instances was admitted before, whatever credentials it sends now.
        boolean isKnown =
                refusal.user() != null || reads.publisher(refusal.connection().id()) != null;
        T request = refusal.request();
        try {
            if (request == null) {
                if (!isKnown && refusal.message().bodyLength() > MessageRouter.LARGE_BODY_BYTES) {
                    // A client without credentials must not make the server read large bodies.
                    return;
                }
                request = handler.read(refusal.message());
            }
            RegistrationHandler.Registration registration = handler.registration(request);
            if (registration != null) {
                note(refusal, isKnown, registration);
            }
        } catch (CairnException | MalformedMessageException | IllegalArgumentException e) {
            // The refused message names no instance.
            return;
        }
    }

    private void note(
            RpcAuthorizer.Refusal<?> refusal, boolean isKnown, RegistrationHandler.Registration registration) {
        ServiceKey service = NamingRequests.service(registration.service());
        for (InstanceFields instance : registration.instances()) {
            InstanceKey key = NamingRequests.key(instance);
            if (key != null) {
                beats.refused(refusal.user(), isKnown, refusal.denial().text(), service, key);
            }
        }
    }
}
