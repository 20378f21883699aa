package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.concurrent.CompletionStage;

public final class PersistentInstanceHandler implements MessageHandler<InstanceRequest> {

    private static final MessageRight<InstanceRequest> RIGHT =
            MessageRight.service(Action.WRITE, request -> NamingRequests.service(request.service()));
    private final RegistryView reads;
    private final StoredNaming stored;

    public PersistentInstanceHandler(RegistryView reads, StoredNaming stored) {
        this.reads = reads;
        this.stored = stored;
    }

    @Override
    public String requestType() {
        return MessageCatalog.PERSISTENT_INSTANCE_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.INSTANCE_RESPONSE;
    }

    @Override
    public InstanceRequest read(Payload message) {
        return JsonInput.read(message, InstanceRequest::read);
    }

    @Override
    public MessageRight<InstanceRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(InstanceRequest request, ClientConnection connection, Principal caller) {
        InstanceFields fields = request.instance();
        if (fields != null) {
            NamingRequests.check(fields, reads.maxMetadata());
        }
        ServiceKey service = NamingRequests.service(request.service());
        if (fields == null) {
            throw InstanceHandler.missing();
        }
        Instance instance = NamingRequests.instance(fields, false);
        Caller by = new Caller(caller, connection.remoteIp());
        if (InstanceRequest.REGISTER.equals(request.type())) {
            return stored.register(by, service, instance).thenCompose(done -> InstanceHandler.REGISTERED);
        }
        if (InstanceRequest.DEREGISTER.equals(request.type())) {
            return stored.deregister(by, service, instance.key()).thenCompose(done -> InstanceHandler.DEREGISTERED);
        }
        throw NamingRequests.unsupported(request.type());
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
