package io.cairn.server.http.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The clients of the registry with their publications and subscriptions, in the words of one version. */
public final class ClientEndpoints {

    public record PublishedService(ServiceKey service, InstanceKey instance) {}

    public record SubscribedService(ServiceKey service, Subscriber subscriber) {}

    /**
     * The views of a version.
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

    private static final Parameter<String> CLIENT_ID =
            Parameter.text("clientId", "The client").required();
    // Some clients send null where they do not select.
    private static final Parameter<String> IP =
            Parameter.text("ip", "Lists clients of this address only").orNone().absentAs("null");
    private static final Parameter<Integer> PORT = Parameter.integer("port", "Lists clients of this port only")
            .orNone()
            .absentAs("null");

    private static final Operation<HttpRequest> LIST = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .ofAllNodes()
            .says("Lists the clients of the registry");

    // Administrators alone see clients, so the right needs no service.
    private static final Form<HttpRequest> OF_SERVICE = Form.of(
            NamingParameters.SERVICE_NAME.required(),
            NamingParameters.GROUP_NAME,
            NamingParameters.NAMESPACE_ID,
            NamingParameters.EPHEMERAL,
            IP,
            PORT);

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
                        Operation.of(CLIENT_ID)
                                .needs(Right.admin())
                                .answers(views.client().shape())
                                .ofAllNodes()
                                .says("Shows a client of the registry"),
                        this::get),
                endpoints.get(
                        path + "/publish/list",
                        Operation.of(CLIENT_ID)
                                .needs(Right.admin())
                                .answers(Answer.listOf(views.published().shape()))
                                .ofAllNodes()
                                .says("Lists what a client has registered"),
                        this::published),
                endpoints.get(
                        path + "/subscribe/list",
                        Operation.of(CLIENT_ID)
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
        return clients.ids().thenApply(all -> wording.written(Rows.of(all.rows()), all.silent()));
    }

    private static String id(HttpRequest request) {
        return CLIENT_ID.of(request);
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
                NamingParameters.EPHEMERAL.orNull(request),
                IP.orNull(request),
                PORT.orNull(request));
        return wording.written(Rows.of(all, views.publishers::of));
    }

    private CompletionStage<HttpResponse> subscribers(HttpRequest request) {
        return written(
                clients.subscribersOf(NamingParameters.service(request), IP.orNull(request), PORT.orNull(request)),
                views.subscribers);
    }

    private <T> CompletionStage<HttpResponse> written(CompletionStage<Gathered<T>> found, View<T, ?> view) {
        return found.thenApply(all -> wording.written(Rows.of(all.rows(), view::of), all.silent()));
    }
}
