package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageRight;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Registers and deregisters the ephemeral instance of a connection in a service. */
public final class InstanceHandler implements RegistrationHandler<InstanceRequest> {

    private static final MessageRight<InstanceRequest> RIGHT =
            MessageRight.service(Action.WRITE, request -> NamingRequests.service(request.service()));
    static final CompletionStage<Payload> REGISTERED = done(InstanceRequest.REGISTER);
    static final CompletionStage<Payload> DEREGISTERED = done(InstanceRequest.DEREGISTER);

    private final Publishers publishers;

    public InstanceHandler(Publishers publishers) {
        this.publishers = publishers;
    }

    private static CompletionStage<Payload> done(String type) {
        return CompletableFuture.completedFuture(Payload.of(
                MessageCatalog.INSTANCE_RESPONSE,
                WireResponse.start(128).text("type", type).flag("success", true).toBytes()));
    }

    @Override
    public String requestType() {
        return MessageCatalog.INSTANCE_REQUEST;
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
    public @Nullable Registration registration(InstanceRequest request) {
        InstanceFields fields = request.instance();
        return fields != null && InstanceRequest.REGISTER.equals(request.type())
                ? new Registration(request.service(), List.of(fields))
                : null;
    }

    @Override
    public CompletionStage<Payload> handle(InstanceRequest request, ClientConnection connection, Principal caller) {
        InstanceFields fields = request.instance();
        if (fields != null) {
            NamingRequests.check(fields, publishers.maxMetadata());
        }
        ServiceKey service = NamingRequests.service(request.service());
        if (fields == null) {
            throw missing();
        }
        if (InstanceRequest.REGISTER.equals(request.type())) {
            Instance instance = NamingRequests.instance(fields, true);
            publishers.register(connection, service, List.of(instance));
            return REGISTERED;
        }
        if (InstanceRequest.DEREGISTER.equals(request.type())) {
            publishers.deregister(connection, service, NamingRequests.key(fields));
            return DEREGISTERED;
        }
        throw NamingRequests.unsupported(request.type());
    }

    static CairnException missing() {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "Instance can not be null.");
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
