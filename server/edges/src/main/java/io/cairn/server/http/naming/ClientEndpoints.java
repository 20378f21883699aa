package io.cairn.server.http.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The clients of the registry, and which of them publish and subscribe to which services, in the words of one version. */
public final class ClientEndpoints {

    /** A service of which a client has published an instance. */
    public record PublishedService(ServiceKey service, InstanceKey instance) {}

    /** A service to which a client subscribes. */
    public record SubscribedService(ServiceKey service, Subscriber subscriber) {}

    /**
     * How a version shows them.
     *
     * @param publishers of one service
     * @param subscribers of one service
     */
    public record Views(
            View<NamingClients.Client, ?> client,
            View<PublishedService, ?> published,
            View<SubscribedService, ?> subscribed,
            View<NamingClients.Published, ?> publishers,
            View<Subscriber, ?> subscribers) {}

    private static final Operation<HttpRequest> LIST = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .ofAllNodes()
            .says("Lists the clients of the registry");

    // Administrators alone see clients, so the right needs no service.
    private static final Form<HttpRequest> OF_SERVICE =
            Form.of("serviceName! groupName namespaceId ephemeral:boolean ip port:integer");

    private final ClientReads clients;
    private final Views views;
    private final ResponseWording wording;

    public ClientEndpoints(ClientReads clients, Views views, ResponseWording wording) {
        this.clients = clients;
        this.views = views;
        this.wording = wording;
    }

    /** @param path of one client; the lists are below it */
    public List<HttpRoute> routes(String path, Endpoints endpoints) {
        return List.of(
                endpoints.get(path + "/list", LIST, this::list),
                endpoints.get(
                        path,
                        Operation.of("clientId!")
                                .needs(Right.admin())
                                .answers(views.client().shape())
                                .ofAllNodes()
                                .says("Shows a client of the registry"),
                        this::get),
                endpoints.get(
                        path + "/publish/list",
                        Operation.of("clientId!")
                                .needs(Right.admin())
                                .answers(Answer.listOf(views.published().shape()))
                                .ofAllNodes()
                                .says("Lists what a client has registered"),
                        this::published),
                endpoints.get(
                        path + "/subscribe/list",
                        Operation.of("clientId!")
                                .needs(Right.admin())
                                .answers(Answer.listOf(views.subscribed().shape()))
                                .ofAllNodes()
                                .says("Lists what a client subscribes to"),
                        this::subscribed),
                endpoints.get(
                        path + "/service/publisher/list",
                        Operation.of(OF_SERVICE)
                                .needs(Right.admin())
                                .answers(Answer.listOf(views.publishers().shape()))
                                .says("Lists the clients that have registered instances of a service"),
                        this::publishers),
                endpoints.get(
                        path + "/service/subscriber/list",
                        Operation.of(OF_SERVICE)
                                .needs(Right.admin())
                                .answers(Answer.listOf(views.subscribers().shape()))
                                .ofAllNodes()
                                .says("Lists the subscribers of a service"),
                        this::subscribers));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return clients.ids().thenApply(all -> wording.written(all.rows(), all.silent()));
    }

    private static String id(HttpRequest request) {
        return NamingParameters.required(request, "clientId");
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        return clients.find(id(request))
                .thenApply(found -> wording.written(views.client.of(found.rows().get(0)), found.silent()));
    }

    private CompletionStage<HttpResponse> published(HttpRequest request) {
        return written(clients.publishedBy(id(request)), views.published);
    }

    private CompletionStage<HttpResponse> subscribed(HttpRequest request) {
        return written(clients.subscribedBy(id(request)), views.subscribed);
    }

    private CompletionStage<HttpResponse> publishers(HttpRequest request) {
        List<NamingClients.Published> all = clients.publishersOf(
                NamingParameters.service(request),
                NamingParameters.flag(request, "ephemeral"),
                NamingParameters.filter(request, "ip"),
                NamingParameters.numberFilter(request, "port"));
        return wording.written(all.stream().map(views.publishers::of).toList());
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        return written(
                clients.subscribersOf(
                        NamingParameters.service(request),
                        NamingParameters.filter(request, "ip"),
                        NamingParameters.numberFilter(request, "port")),
                views.subscribers);
    }

    private <T> CompletionStage<HttpResponse> written(CompletionStage<Gathered<T>> found, View<T, ?> view) {
        return found.thenApply(
                all -> wording.written(all.rows().stream().map(view::of).toList(), all.silent()));
    }
}
