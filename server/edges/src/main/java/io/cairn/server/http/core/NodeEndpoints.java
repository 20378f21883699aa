package io.cairn.server.http.core;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster and their operations, in versions 2 and 3; version 1 shares the operations. */
public final class NodeEndpoints {

    public static final Operation<HttpRequest> SELF =
            Operation.of(Form.NONE).needs(Right.admin()).answers(Member.class).says("Describes this node");
    public static final Operation<HttpRequest> HEALTH = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers("string")
            .says("Shows the state of this node: UP, STARTING, SUSPICIOUS (it stops) or ISOLATION");
    public static final Operation<NodeQuery> LIST = Operation.of(NodeQuery.BY_ADDRESS)
            .needs(Right.admin())
            .answers(Answer.listOf(Member.class))
            .says("Lists the nodes");
    public static final Operation<HttpRequest> REPORT = Operation.of(Form.NONE.with(Form.Body.JSON))
            .needs(Right.admin())
            .answers("boolean")
            .says("Accepts reports about other nodes and ignores them");
    public static final Operation<Lookup> LOOKUP =
            Operation.of(Lookup.FORM).needs(Right.admin()).answers("boolean").says("Chooses how nodes find each other");
    public static final Operation<RaftOperation> RAFT = Operation.of(RaftOperation.FORM)
            .needs(Right.admin())
            .answers("string")
            .says("Refuses operations on Raft groups, of which there are none");
    public static final Operation<LogLevel> LOG = Operation.of(LogLevel.FORM)
            .needs(Right.admin())
            .answers("null")
            .recordedAs(LogLevel::recorded)
            .says("Sets a log level");
    private static final Operation<HttpRequest> IDS = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(Answer.listOf("object"))
            .says("Lists the generators of ids; the database makes them here");

    private final ClusterNodes nodes;
    private final LogLevels levels;
    private final Version version;
    private final CompletionStage<HttpResponse> done;

    /**
     * The differences between the API's versions.
     *
     * @param base the path before {@code /cluster} and {@code /ops}
     * @param lookupErrors for a lookup
     */
    public record Version(
            String base,
            Envelope envelope,
            HttpErrors errors,
            HttpErrors lookupErrors,
            Form<Lookup> lookup,
            Form<RaftOperation> raft,
            int unknownRaftGroup) {}

    public NodeEndpoints(ClusterNodes nodes, LogLevels levels, Version version) {
        this.nodes = nodes;
        this.levels = levels;
        this.version = version;
        this.done = CompletableFuture.completedFuture(version.envelope.success(0, out -> out.flag("data", true)));
    }

    public record Lookup(String type) {

        private static final Parameter<String> TYPE = Parameter.text("type", "The way in which nodes find each other");

        /** The type is a parameter, or a field of a JSON body. */
        public static final Form<Lookup> FORM =
                Form.of(TYPE.required()).as(request -> new Lookup(JsonFields.required(request, TYPE)));

        public static final Form<Lookup> PARAMETER =
                Form.of(TYPE.required()).as(request -> new Lookup(TYPE.of(request)));
    }

    public record RaftOperation(@Nullable String group) {

        private static final Parameter<String> GROUP = Parameter.text("groupId", "The Raft group");

        public static final Form<RaftOperation> FORM = Form.of(GROUP)
                .as(request -> new RaftOperation(JsonFields.text(request, GROUP)))
                .with(Form.Body.JSON);

        /** The refusal of a server that does not know the group. */
        public JsonText refusal(int code) {
            return JsonBody.enveloped(code, "not this raft group : " + group, null);
        }
    }

    public List<HttpRoute> routes() {
        String node = version.base + "/cluster/node";
        String ops = version.base + "/ops";
        Endpoints endpoints = new Endpoints(version.errors);
        return List.of(
                endpoints.get(node + "/self", SELF, request -> written(nodes.selfAsMember())),
                endpoints.get(
                        node + "/self/health",
                        HEALTH,
                        request -> CompletableFuture.completedFuture(version.envelope.success(nodes.state()))),
                endpoints.get(node + "/list", LIST, (query, http) -> written(nodes.find(query))),
                endpoints.put(node + "/list", REPORT, request -> done),
                new Endpoints(version.lookupErrors)
                        .put(version.base + "/cluster/lookup", LOOKUP.readBy(version.lookup), this::lookup),
                endpoints.post(ops + "/raft", RAFT.readBy(version.raft), this::raft),
                endpoints.get(ops + "/ids", IDS, request -> written(List.of())),
                endpoints.put(ops + "/log", LOG, this::setLogLevel));
    }

    private CompletionStage<HttpResponse> lookup(Lookup request, HttpRequest http) {
        nodes.checkLookup(request.type);
        return done;
    }

    private CompletionStage<HttpResponse> raft(RaftOperation request, HttpRequest http) {
        return CompletableFuture.completedFuture(version.envelope.bare(request.refusal(version.unknownRaftGroup)));
    }

    private CompletionStage<HttpResponse> setLogLevel(LogLevel request, HttpRequest http) {
        levels.set(request.log(), request.level());
        return CompletableFuture.completedFuture(version.envelope.success(0, out -> out.json("data", "null")));
    }

    private CompletionStage<HttpResponse> written(Object data) {
        return CompletableFuture.completedFuture(version.envelope.written(data));
    }
}
