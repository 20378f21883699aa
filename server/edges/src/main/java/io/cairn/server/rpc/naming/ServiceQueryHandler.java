package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.ServiceQueryRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class ServiceQueryHandler implements MessageHandler<ServiceQueryRequest> {

    private static final MessageRight<ServiceQueryRequest> RIGHT =
            MessageRight.service(Action.READ, request -> NamingRequests.service(request.service()));
    private final RegistryView reads;

    public ServiceQueryHandler(RegistryView reads) {
        this.reads = reads;
    }

    @Override
    public String requestType() {
        return MessageCatalog.SERVICE_QUERY_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.QUERY_SERVICE_RESPONSE;
    }

    @Override
    public ServiceQueryRequest read(Payload message) {
        return JsonInput.read(message, ServiceQueryRequest::read);
    }

    @Override
    public MessageRight<ServiceQueryRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(ServiceQueryRequest request, ClientConnection connection, Principal caller) {
        String clusters = NamingRequests.clusters(request.clusters());
        ServiceKey service = NamingRequests.service(request.service());
        ServiceView view = reads.view(service, clusters, request.healthyOnly())
                .seenFrom(connection.identity().clientIp());
        return CompletableFuture.completedFuture(view.answer(ServiceView.Form.GRPC_QUERY, ServiceQueryHandler::found));
    }

    private static Payload found(ServiceView view) {
        return Payload.of(
                MessageCatalog.QUERY_SERVICE_RESPONSE,
                null,
                WireResponse.start(view.newOutput())
                        .object("serviceInfo", view.service().name(), view::writeInfo)
                        .flag("success", true));
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
