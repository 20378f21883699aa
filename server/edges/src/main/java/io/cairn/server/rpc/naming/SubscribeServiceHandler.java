package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.naming.view.ViewDelta;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Starts and ends subscriptions. The subscription precedes its answer, so a change meanwhile is in the answer or pushed. */
public final class SubscribeServiceHandler implements MessageHandler<SubscribeServiceHandler.Subscription> {

    /** The header with the application of most SDKs; some set no label of the connection. */
    private static final String APP = "app";

    private static final MessageRight<Subscription> RIGHT = MessageRight.service(
            Action.READ,
            subscription -> NamingRequests.service(subscription.request().service()));
    private final RegistryView reads;
    private final ServiceSubscriptions subscriptions;
    private final ServicePusher pusher;

    /** @param app the client's application, or null */
    public record Subscription(
            SubscribeServiceRequest request, @Nullable String app) {}

    public SubscribeServiceHandler(RegistryView reads, ServiceSubscriptions subscriptions, ServicePusher pusher) {
        this.reads = reads;
        this.subscriptions = subscriptions;
        this.pusher = pusher;
    }

    @Override
    public String requestType() {
        return MessageCatalog.SUBSCRIBE_SERVICE_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE;
    }

    @Override
    public Subscription read(Payload message) {
        return new Subscription(JsonInput.read(message, SubscribeServiceRequest::read), message.header(APP));
    }

    @Override
    public MessageRight<Subscription> right() {
        return RIGHT;
    }

    @Override
    public Watching watching() {
        return Watching.KEYS;
    }

    @Override
    public CompletionStage<Payload> handle(Subscription subscription, ClientConnection connection, Principal caller) {
        SubscribeServiceRequest request = subscription.request();
        String clusters = NamingRequests.clusters(request.clusters());
        ServiceKey service = NamingRequests.service(request.service());
        Selection selection = new Selection(service, clusters);
        if (!request.subscribe()) {
            subscriptions.unsubscribe(selection, connection);
            return CompletableFuture.completedFuture(whole(reads.nothingOf(service, clusters)));
        }
        connection.setApp(subscription.app());
        Long since = request.since();
        boolean takesDeltas = since != null && clusters.isEmpty();
        WatchedKey<Selection> watched = subscriptions.subscribe(selection, connection, takesDeltas);
        ServiceView view = reads.view(service, clusters, false);
        if (connection.isClosed()) {
            // The connection ended meanwhile, perhaps before this watch was added.
            connection.watches().clear(WatchedKey::closed);
        } else if (takesDeltas && view.hasDeltas()) {
            // Revisions order an answer and a push.
            pusher.answered(watched, connection, view);
        } else {
            pusher.subscribed(watched, connection, view);
        }
        ServiceView seen = view.seenFrom(connection.identity().clientIp());
        return since != null && takesDeltas
                ? following(seen, since)
                : CompletableFuture.completedFuture(
                        seen.answer(ServiceView.Form.GRPC_SUBSCRIBE, SubscribeServiceHandler::whole));
    }

    private static CompletionStage<Payload> following(ServiceView view, long since) {
        ViewDelta delta = since == 0 ? null : view.since(since);
        if (delta == null) {
            return CompletableFuture.completedFuture(
                    view.answer(ServiceView.Form.GRPC_SUBSCRIBE_WITH_REVISION, SubscribeServiceHandler::withRevision));
        }
        JsonOutput out = WireResponse.start(new JsonOutput(delta.bytes())).text("message", "success");
        delta.write(out);
        return CompletableFuture.completedFuture(answer(out));
    }

    private static Payload whole(ServiceView view) {
        return answer(list(view));
    }

    private static Payload withRevision(ServiceView view) {
        return answer(list(view).number(ServiceAnswer.REVISION, view.snapshot().version()));
    }

    private static JsonOutput list(ServiceView view) {
        return WireResponse.start(view.newOutput())
                .text("message", "success")
                .object("serviceInfo", view.service().name(), view::writeInfo);
    }

    private static Payload answer(JsonOutput out) {
        return Payload.of(MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE, null, out.flag("success", true));
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
