package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.tls.CertifiedUser;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happens on this node, as server-sent events. */
public final class EventEndpoints {

    private final EventHub hub;
    private final Authenticator authenticator;
    private final EnvelopeErrors errors;

    public EventEndpoints(EventHub hub, Authenticator authenticator, ContainerErrors container) {
        this.hub = hub;
        this.authenticator = authenticator;
        this.errors = V3.errors(container);
    }

    public List<HttpRoute> routes() {
        return List.of(HttpRoute.get("/v3/admin/core/events", errors, this::open)
                .longPoll()
                .does(OldOperation.of(
                                "Tells what happens in a namespace as server-sent events: config, service, connections,"
                                        + " reload, and listeners of one configuration",
                                "namespaceId dataId groupName",
                                "string")
                        .as(OldOperation.Form.EVENTS)));
    }

    private CompletionStage<HttpResponse> open(HttpRequest request) {
        Namespace namespace = ConfigLookup.namespace(request, "namespaceId");
        return CompletableFuture.completedFuture(HttpResponse.status(200)
                .contentType("text/event-stream;charset=UTF-8")
                .notCached()
                .header("X-Accel-Buffering", "no")
                .header("X-Content-Type-Options", "nosniff")
                .body(hub.open(reader(request), namespace, listenersOf(request, namespace))));
    }

    private static @Nullable ConfigKey listenersOf(HttpRequest request, Namespace namespace) {
        String dataId = request.parameter("dataId");
        String group = request.parameter("groupName");
        return dataId == null || group == null || dataId.isBlank() || group.isBlank()
                ? null
                : new ConfigKey(namespace, group, dataId);
    }

    /** Who reads, asked anew for all that is sent: a token may end or lose its rights while the stream is open. */
    private Supplier<Identity> reader(HttpRequest request) {
        Principal caller = RequestCaller.of(request).principal();
        String token = HttpAuthorizer.token(request);
        if (caller.kind() == Principal.Kind.UNCHECKED) {
            return () -> caller;
        }
        CertifiedUser certified = request.certified();
        if (caller.kind() == Principal.Kind.CERTIFICATE && certified != null) {
            return () -> authenticator.byCertificate(certified);
        }
        if (token == null) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED, "events are told to tokens and certificates (expected: a login first)");
        }
        return () -> authenticator.byToken(token);
    }
}
