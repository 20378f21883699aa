package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.ServiceListRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class ServiceListHandler implements MessageHandler<ServiceListRequest> {

    private static final MessageRight<ServiceListRequest> RIGHT =
            MessageRight.enter(Action.READ, ResourceType.NAMING, request -> NamingRequests.anyOf(request.service())
                    .namespace());
    private final RegistryView reads;

    public ServiceListHandler(RegistryView reads) {
        this.reads = reads;
    }

    @Override
    public String requestType() {
        return MessageCatalog.SERVICE_LIST_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.SERVICE_LIST_RESPONSE;
    }

    @Override
    public ServiceListRequest read(Payload message) {
        return JsonInput.read(message, ServiceListRequest::read);
    }

    @Override
    public MessageRight<ServiceListRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(ServiceListRequest request, ClientConnection connection, Principal caller) {
        ServiceKey group = NamingRequests.anyOf(request.service());
        Collection<String> names = reads.serviceNames(
                group.namespace(), group.group(), caller.readable(group.namespace(), ResourceType.NAMING));
        int count = names.size();
        List<String> page = List.of();
        if (request.pageNo() > 0 && request.pageSize() > 0) {
            page = names.stream()
                    .skip((long) (request.pageNo() - 1) * request.pageSize())
                    .limit(request.pageSize())
                    .toList();
        }
        return CompletableFuture.completedFuture(Payload.of(
                MessageCatalog.SERVICE_LIST_RESPONSE,
                WireResponse.start(64 + page.size() * 32)
                        .number("count", count)
                        .textList("serviceNames", page)
                        .flag("success", true)
                        .toBytes()));
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(
                responseType(), failure, out -> out.number("count", 0).textList("serviceNames", List.of()));
    }
}
