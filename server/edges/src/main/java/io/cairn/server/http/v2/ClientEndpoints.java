package io.cairn.server.http.v2;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v2/ns/client}: who publishes and subscribes to what. */
final class ClientEndpoints {

    private static final String PATH = "/v2/ns/client";

    private final NamingClients clients;

    ClientEndpoints(NamingClients clients) {
        this.clients = clients;
    }

    List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(PATH + "/list", V2.SINGLE_PARAMETERS, this::list),
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, this::get),
                HttpRoute.get(PATH + "/publish/list", V2.SINGLE_PARAMETERS, this::published),
                HttpRoute.get(PATH + "/subscribe/list", V2.SINGLE_PARAMETERS, this::subscribed),
                HttpRoute.get(PATH + "/service/publisher/list", V2.SINGLE_PARAMETERS, this::publishers),
                HttpRoute.get(PATH + "/service/subscriber/list", V2.SINGLE_PARAMETERS, this::subscribers));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return CompletableFuture.completedFuture(V2.ENVELOPE.success(1024, out -> out.textList("data", clients.ids())));
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
                .text("clientType", client.isConnection() ? "connection" : "ipPort")
                .text("clientIp", client.ip())
                // A text in this version.
                .text("clientPort", Integer.toString(client.port()));
        if (client.isConnection()) {
            described.text("connectType", "GRPC").text("appName", client.app()).text("version", client.version());
        }
        return V2.data(described.toBytes());
    }

    private record Registered(ServiceKey service, Instance instance) {}

    private CompletionStage<HttpResponse> published(HttpRequest request) {
        List<Registered> all = clients.publishedBy(client(request).id()).entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(instance -> new Registered(entry.getKey(), instance)))
                .toList();
        return CompletableFuture.completedFuture(V2.ENVELOPE.success(
                1024,
                out -> out.objects("data", all, (registered, item) -> service(registered.service, item)
                        .json(
                                "registeredInstance",
                                new JsonOutput(96)
                                        .text("ip", registered.instance.key().ip())
                                        .number(
                                                "port",
                                                registered.instance.key().port())
                                        .text(
                                                "cluster",
                                                registered.instance.key().cluster())
                                        .toBytes()))));
    }

    private CompletionStage<HttpResponse> subscribed(HttpRequest request) {
        Map<ServiceKey, Subscriber> all = clients.subscribedBy(client(request).id());
        return CompletableFuture.completedFuture(V2.ENVELOPE.success(
                1024,
                out -> out.objects("data", all.entrySet(), (entry, item) -> service(entry.getKey(), item)
                        .json(
                                "subscriberInfo",
                                new JsonOutput(128)
                                        .text("app", entry.getValue().app())
                                        .text("agent", entry.getValue().agent())
                                        .text("addr", NamingClients.address(entry.getValue()))
                                        .toBytes()))));
    }

    private static JsonOutput service(ServiceKey service, JsonOutput out) {
        return out.text("namespace", service.namespace().id())
                .text("group", service.group())
                .text("serviceName", service.name());
    }

    private CompletionStage<HttpResponse> publishers(HttpRequest request) {
        List<NamingClients.Published> all = clients.publishersOf(
                NamingParameters.service(request),
                NamingParameters.flag(request, "ephemeral"),
                NamingParameters.filter(request, "ip"),
                NamingParameters.numberFilter(request, "port"));
        return CompletableFuture.completedFuture(V2.ENVELOPE.success(
                1024,
                out -> out.objects("data", all, (published, item) -> item.text("clientId", published.clientId())
                        .text("ip", published.instance().key().ip())
                        .number("port", published.instance().key().port())
                        .text("cluster", published.instance().key().cluster()))));
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        List<Subscriber> all = clients.subscribersOf(
                NamingParameters.service(request),
                NamingParameters.filter(request, "ip"),
                NamingParameters.numberFilter(request, "port"));
        return CompletableFuture.completedFuture(V2.ENVELOPE.success(
                1024,
                out -> out.objects("data", all, (subscriber, item) -> item.text("clientId", subscriber.clientId())
                        .text("ip", subscriber.ip())
                        .number("port", subscriber.port()))));
    }
}
