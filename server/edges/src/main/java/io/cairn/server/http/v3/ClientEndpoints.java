package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.Action;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ClientReads;
import io.cairn.server.http.config.ClientReads.EventQuery;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.Watcher;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The clients of configurations: their present contents, and their events. */
public final class ClientEndpoints {

    private static final Parameter<String> CONNECTION = Parameter.exact("connectionId", "The id of the connection");
    private static final Parameter<String> CONNECTIONS = Parameter.exact(
            "connectionIds",
            "The ids of the connections to ask, separated by commas, at most " + ClientReads.MOST_ASKED);
    private static final Parameter<String> IP = Parameter.exact("ip", "The address of the clients");
    private static final Parameter<String> APP = Parameter.exact("appName", "The application of the clients");
    private static final Parameter<String> INSTANCE = Parameter.exact("instance", "The label instance of the clients");

    /** Without both, the list is whole. */
    private static final PageParameters WHOLE = PageParameters.ofSize(100);

    private static final PageParameters PAGE = PageParameters.ofSize(100);

    private static final Right<EventQuery> READ_ANY = Right.anywhere(Action.READ);
    private static final Right<EventQuery> READ_ONE = Right.config(Action.READ, EventQuery::requiredKey);

    private static final Operation<ConfigKey> WATCHERS = Operation.of(
                    ConfigForm.V3.names().and(WHOLE.both()))
            .needs(ConfigForm.READ)
            .answers(Answer.listOf(Watcher.class))
            .ofAllNodes()
            .says("Lists the listeners of a configuration, with their md5 and whether it is the current one");
    private static final Operation<ConfigKey> HELD = Operation.of(ConfigForm.V3.namesAnd(CONNECTIONS.required()))
            .needs(ConfigForm.READ)
            .answers(Answer.listOf(ClientReads.Held.class))
            .ofAllNodes()
            .says("Asks listeners of a configuration for the md5 that they hold");
    private static final Operation<HttpRequest> LISTENED = Operation.of(CONNECTION.required())
            .needs(Right.anywhere(Action.READ))
            .answers(Answer.listOf(ClientReads.Listened.class))
            .ofAllNodes()
            .says("Lists the configurations that a connection listens to and the caller may read");
    private static final Operation<EventQuery> EVENTS = Operation.of(Form.of(
                            CONNECTION,
                            IP,
                            APP,
                            INSTANCE,
                            ConfigForm.DATA_ID,
                            ConfigForm.V3.group(),
                            NamingParameters.NAMESPACE_ID)
                    .as(ClientEndpoints::query)
                    .and(PAGE.both()))
            .needs(Right.either(query -> query.key() == null ? READ_ANY : READ_ONE))
            .answers(Answer.listOf(ClientReads.Event.class))
            .ofAllNodes()
            .says("Lists the events of clients, the newest first: by connection, address, application, instance or"
                    + " configuration");

    private final ClientReads clients;
    private final Endpoints endpoints;

    public ClientEndpoints(ClientReads clients, ContainerErrors container) {
        this.clients = clients;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/cs/config/watchers", WATCHERS, this::watchers),
                endpoints.get("/v3/admin/cs/config/watchers/held", HELD, this::held),
                endpoints.get("/v3/admin/cs/client/configs", LISTENED, this::listened),
                endpoints.get("/v3/admin/cs/client/history", EVENTS, this::events));
    }

    private static EventQuery query(HttpRequest http) {
        boolean isOfConfig = ConfigForm.DATA_ID.orNull(http) != null;
        EventQuery query = new EventQuery(
                CONNECTION.orNull(http),
                IP.orNull(http),
                APP.orNull(http),
                INSTANCE.orNull(http),
                isOfConfig ? ConfigForm.V3.key(http) : null);
        if (query.isOfAll()) {
            throw ParameterException.refused(
                    "connectionId",
                    "absent; expected: one of connectionId, ip, appName, instance, or dataId with groupName");
        }
        return query;
    }

    private CompletionStage<HttpResponse> watchers(ConfigKey key, HttpRequest http) {
        UnaryOperator<List<Watcher>> shown =
                WHOLE.number().isIn(http) || WHOLE.size().isIn(http) ? WHOLE.of(http)::of : all -> all;
        return clients.watchers(key)
                .thenApply(found -> V3.ENVELOPE.written(
                        Rows.of(shown.apply(found.rows()), UnaryOperator.identity()), found.silent()));
    }

    private CompletionStage<HttpResponse> held(ConfigKey key, HttpRequest http) {
        List<String> ids =
                Stream.of(CONNECTIONS.of(http).split(",", -1)).distinct().toList();
        if (ids.size() > ClientReads.MOST_ASKED || ids.contains("")) {
            throw ParameterException.refused(
                    CONNECTIONS.name(),
                    ids.size() + " ids; expected: 1 to " + ClientReads.MOST_ASKED + ", none of them empty");
        }
        return clients.held(key, ids)
                .thenApply(
                        found -> V3.ENVELOPE.written(Rows.of(found.rows(), UnaryOperator.identity()), found.silent()));
    }

    private CompletionStage<HttpResponse> listened(HttpRequest request, HttpRequest http) {
        return clients.listened(CONNECTION.of(http), RequestCaller.of(http).principal())
                .thenApply(
                        found -> V3.ENVELOPE.written(Rows.of(found.rows(), UnaryOperator.identity()), found.silent()));
    }

    private CompletionStage<HttpResponse> events(EventQuery query, HttpRequest http) {
        Page page = PAGE.of(http);
        long last = (long) page.number() * page.size();
        if (last > ClientReads.MOST_EVENTS) {
            throw ParameterException.refused(
                    PAGE.number().name(),
                    page.number() + " reaches event " + last + "; expected: at most " + ClientReads.MOST_EVENTS);
        }
        return clients.events(query, (int) last, RequestCaller.of(http).principal())
                .thenApply(found ->
                        V3.ENVELOPE.written(Rows.of(page.of(found.rows()), UnaryOperator.identity()), found.silent()));
    }
}
