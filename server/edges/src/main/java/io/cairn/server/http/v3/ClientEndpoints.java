package io.cairn.server.http.v3;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/ns/client}: who publishes and subscribes to what. */
final class ClientEndpoints {

    private static final String PATH = "/v3/admin/ns/client";

    private final NamingClients clients;
    private final EnvelopeErrors errors;
    private final ClientOwnership ownership;

    ClientEndpoints(NamingClients clients, ClientOwnership ownership, ContainerErrors container) {
        this.clients = clients;
        this.errors = V3.errors(container).forSingleParameters("clientId", "ip", "port");
        this.ownership = ownership;
    }

    List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(PATH + "/list", errors, this::list),
                HttpRoute.get(PATH, errors, this::get),
                HttpRoute.get(PATH + "/publish/list", errors, this::published),
                HttpRoute.get(PATH + "/subscribe/list", errors, this::subscribed),
                HttpRoute.get(PATH + "/service/publisher/list", errors, this::publishers),
                HttpRoute.get(PATH + "/service/subscriber/list", errors, this::subscribers),
                HttpRoute.get(PATH + "/distro", errors, this::responsibleServer));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return CompletableFuture.completedFuture(V3.ENVELOPE.success(1024, out -> out.textList("data", clients.ids())));
    }

    private NamingClients.Client client(HttpRequest request) {
        String id = NamingParameters.required(request, "clientId");
        NamingClients.Client client = clients.find(id);
        if (client == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "clientId [ " + id + " ] not exist");
        }
        return client;
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        NamingClients.Client client = client(request);
        JsonOutput described = new JsonOutput(256)
                .text("clientId", client.id())
                .flag("ephemeral", client.isEphemeral())
                .number("lastUpdatedTime", client.lastUpdatedMillis())
                .text("clientType", client.isConnection() ? "connection" : "ipPort");
        if (client.isConnection()) {
            described.text("connectType", "GRPC").text("appName", client.app()).text("version", client.version());
        } else {
            described.json("connectType", "null").json("appName", "null").json("version", "null");
        }
        byte[] data = described
                .text("clientIp", client.ip())
                .number("clientPort", client.port())
                .toBytes();
        return V3.data(data);
    }

    private record Registered(ServiceKey service, Instance instance) {}

    private CompletionStage<HttpResponse> published(HttpRequest request) {
        List<Registered> all = clients.publishedBy(client(request).id()).entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(instance -> new Registered(entry.getKey(), instance)))
                .toList();
        return CompletableFuture.completedFuture(V3.ENVELOPE.success(
                1024,
                out -> out.objects("data", all, (registered, item) -> service(registered.service, item)
                        .json(
                                "publisherInfo",
                                instance(new JsonOutput(128).json("clientId", "null"), registered.instance)
                                        .toBytes())
                        .json("subscriberInfo", "null"))));
    }

    private CompletionStage<HttpResponse> subscribed(HttpRequest request) {
        Map<ServiceKey, Subscriber> all = clients.subscribedBy(client(request).id());
        return CompletableFuture.completedFuture(V3.ENVELOPE.success(
                1024,
                out -> out.objects("data", all.entrySet(), (entry, item) -> service(entry.getKey(), item)
                        .json("publisherInfo", "null")
                        .json(
                                "subscriberInfo",
                                subscriber(new JsonOutput(192).json("clientId", "null"), entry.getValue())
                                        .toBytes()))));
    }

    private CompletionStage<HttpResponse> publishers(HttpRequest request) {
        List<NamingClients.Published> all = clients.publishersOf(
                NamingParameters.service(request),
                NamingParameters.flag(request, "ephemeral"),
                NamingParameters.filter(request, "ip"),
                NamingParameters.numberFilter(request, "port"));
        return CompletableFuture.completedFuture(V3.ENVELOPE.success(
                1024,
                out -> out.objects(
                        "data",
                        all,
                        (published, item) ->
                                instance(item.text("clientId", published.clientId()), published.instance()))));
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        List<Subscriber> all = clients.subscribersOf(
                NamingParameters.service(request),
                NamingParameters.filter(request, "ip"),
                NamingParameters.numberFilter(request, "port"));
        return CompletableFuture.completedFuture(V3.ENVELOPE.success(
                1024,
                out -> out.objects(
                        "data",
                        all,
                        (subscriber, item) -> subscriber(item.text("clientId", subscriber.clientId()), subscriber))));
    }

    private CompletionStage<HttpResponse> responsibleServer(HttpRequest request) {
        String clientId =
                NamingParameters.required(request, "ip") + ':' + NamingParameters.required(request, "port") + "#true";
        return V3.data(new JsonOutput(64)
                .text("responsibleServer", ownership.ownerOf(clientId))
                .toBytes());
    }

    private static JsonOutput service(ServiceKey service, JsonOutput out) {
        return out.text("namespaceId", service.namespace().id())
                .text("groupName", service.group())
                .text("serviceName", service.name());
    }

    private static JsonOutput instance(JsonOutput out, Instance instance) {
        return out.text("ip", instance.key().ip())
                .number("port", instance.key().port())
                .text("clusterName", instance.key().cluster());
    }

    private static JsonOutput subscriber(JsonOutput out, Subscriber subscriber) {
        return out.text("appName", subscriber.app())
                .text("agent", subscriber.agent())
                .text("address", NamingClients.address(subscriber));
    }
}
