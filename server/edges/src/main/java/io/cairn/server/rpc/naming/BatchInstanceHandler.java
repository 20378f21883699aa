package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.BatchInstanceRequest;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageRight;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Replaces all ephemeral instances of a connection in a service. */
public final class BatchInstanceHandler implements RegistrationHandler<BatchInstanceRequest> {

    private static final MessageRight<BatchInstanceRequest> RIGHT =
            MessageRight.service(Action.WRITE, request -> NamingRequests.service(request.service()));
    private static final CompletionStage<Payload> REGISTERED = CompletableFuture.completedFuture(Payload.of(
            MessageCatalog.BATCH_INSTANCE_RESPONSE,
            WireResponse.start(128)
                    .text("type", BatchInstanceRequest.REGISTER)
                    .flag("success", true)
                    .toBytes()));

    private final Publishers publishers;

    public BatchInstanceHandler(Publishers publishers) {
        this.publishers = publishers;
    }

    @Override
    public String requestType() {
        return MessageCatalog.BATCH_INSTANCE_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.BATCH_INSTANCE_RESPONSE;
    }

    @Override
    public BatchInstanceRequest read(Payload message) {
        return JsonInput.read(message, BatchInstanceRequest::read);
    }

    @Override
    public MessageRight<BatchInstanceRequest> right() {
        return RIGHT;
    }

    @Override
    public Registration registration(BatchInstanceRequest request) {
        return new Registration(request.service(), request.instances());
    }

    @Override
    public CompletionStage<Payload> handle(
            BatchInstanceRequest request, ClientConnection connection, Principal caller) {
        request.instances().forEach(fields -> NamingRequests.check(fields, publishers.maxMetadata()));
        ServiceKey service = NamingRequests.service(request.service());
        if (!BatchInstanceRequest.REGISTER.equals(request.type())) {
            throw NamingRequests.unsupported(request.type());
        }
        List<Instance> instances = new ArrayList<>(request.instances().size());
        for (InstanceFields fields : request.instances()) {
            instances.add(NamingRequests.instance(fields, true));
        }
        publishers.register(connection, service, instances);
        return REGISTERED;
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
