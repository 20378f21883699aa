package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.BatchInstanceRequest;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.server.auth.Denial;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.RefusedBeats;
import io.cairn.server.rpc.RpcAuthorizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes for which instances registrations over gRPC are refused; the connection itself is their heartbeat. */
public final class RegistrationRefusals implements RpcAuthorizer.Refusals {

    private final RefusedBeats beats;
    private final NamingService naming;

    public RegistrationRefusals(RefusedBeats beats, NamingService naming) {
        this.beats = beats;
        this.naming = naming;
    }

    @Override
    public void refused(
            Payload message, ClientConnection connection, @Nullable String user, boolean isVerified, Denial denial) {
        // A connection that has registered instances was let in before, whatever it shows now.
        boolean isKnown = isVerified || naming.publisher(connection.id()) != null;
        try {
            if (message.type().equals(MessageCatalog.INSTANCE_REQUEST)) {
                InstanceRequest request = JsonInput.read(message, InstanceRequest::read);
                if (InstanceRequest.REGISTER.equals(request.type()) && request.instance() != null) {
                    note(user, isKnown, denial, NamingRequests.service(request.service()), List.of(request.instance()));
                }
            } else if (message.type().equals(MessageCatalog.BATCH_INSTANCE_REQUEST)) {
                BatchInstanceRequest request = JsonInput.read(message, BatchInstanceRequest::read);
                note(user, isKnown, denial, NamingRequests.service(request.service()), request.instances());
            }
        } catch (CairnException | MalformedMessageException | IllegalArgumentException e) {
            // The message names no instance; it is refused for its sender, and nothing is affected.
            return;
        }
    }

    private void note(
            @Nullable String user, boolean isKnown, Denial denial, ServiceKey service, List<InstanceFields> instances) {
        for (InstanceFields instance : instances) {
            InstanceKey key = NamingRequests.key(instance);
            if (key != null) {
                beats.refused(user, isKnown, denial.text(), service, key);
            }
        }
    }
}
