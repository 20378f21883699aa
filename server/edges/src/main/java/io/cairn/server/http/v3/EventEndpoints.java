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
import io.cairn.server.http.events.EventHub;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.tls.CertifiedUser;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

public final class EventEndpoints {

    private static final Operation<Topics> EVENTS = Operation.of(Topics.FORM)
            .needs(Right.known())
            .answers("string")
            .as(Operation.Wrapping.EVENTS)
            .says("Sends the changes in a namespace as server-sent events: config, service, connections,"
                    + " reload, and listeners of one configuration");

    private final EventHub hub;
    private final Authenticator authenticator;
    private final Endpoints endpoints;

    public EventEndpoints(EventHub hub, Authenticator authenticator, ContainerErrors container) {
        this.hub = hub;
        this.authenticator = authenticator;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    /** @param listened the configuration whose listeners are events, too; may be null */
    private record Topics(Namespace namespace, @Nullable ConfigKey listened) {

        private static final Parameter<String> DATA_ID =
                Parameter.text("dataId", "The configuration whose listeners are sent too");
        private static final Parameter<String> GROUP = Parameter.text("groupName", "The group of that configuration");

        static final Form<Topics> FORM =
                Form.of(NamingParameters.NAMESPACE_ID, DATA_ID, GROUP).as(Topics::read);

        private static Topics read(HttpRequest request) {
            Namespace namespace = NamingParameters.namespace(request);
            String dataId = DATA_ID.orNull(request);
            String group = GROUP.orNull(request);
            return new Topics(
                    namespace, dataId == null || group == null ? null : new ConfigKey(namespace, group, dataId));
        }
    }

    public List<HttpRoute> routes() {
        return List.of(
                endpoints.get("/v3/admin/core/events", EVENTS, this::open).longPoll());
    }

    /** Leaves out events that the caller may not see. */
    private CompletionStage<HttpResponse> open(Topics topics, HttpRequest http) {
        return CompletableFuture.completedFuture(HttpResponse.status(200)
                .contentType("text/event-stream;charset=UTF-8")
                .notCached()
                .header("X-Accel-Buffering", "no")
                .header("X-Content-Type-Options", "nosniff")
                .body(hub.open(reader(http), topics.namespace, topics.listened)));
    }

    /** Identifies the reader for every event: a token may end or lose rights while the stream is open. */
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
