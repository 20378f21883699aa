package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.node.OwnClients;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forwards the actions of operators to the nodes concerned, and applies them on this node. */
public final class ClusterOperations implements NodeOperations {

    static final Duration WITHIN = Duration.ofSeconds(2);

    static final Duration LOADS_WITHIN = Duration.ofSeconds(1);

    private static final String DRAIN = "drain";
    private static final String UNDRAIN = "undrain";
    private static final String REBALANCE = "rebalance";
    private static final String MOVE = "move";
    private static final String LOADS = "loads";

    private static final Logger log = LoggerFactory.getLogger(ClusterOperations.class);

    private final ClusterNode node;
    private final Ask ask;
    private final OwnClients clients;
    private final Supplier<Load> own;

    public ClusterOperations(ClusterNode node, Ask ask, OwnClients clients, Supplier<Load> own) {
        this.node = node;
        this.ask = ask;
        this.clients = clients;
        this.own = own;
        ask.respond(DRAIN, parameters -> done(written("text", drainHere())));
        ask.respond(UNDRAIN, parameters -> done(written("text", undrainHere())));
        ask.respond(
                REBALANCE,
                parameters -> done(written(
                        "asked", Integer.toString(clients.rebalance(Double.parseDouble(tolerance(parameters)))))));
        ask.respond(MOVE, parameters -> {
            clients.move(parameters.getOrDefault("connectionId", ""), parameters.getOrDefault("redirectAddress", ""));
            return done("{}");
        });
        ask.respond(LOADS, parameters -> done(written(own.get())));
    }

    private static String tolerance(Map<String, String> parameters) {
        return parameters.getOrDefault("tolerance", Double.toString(TOLERANCE));
    }

    private static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private static String written(String field, String value) {
        return new String(new JsonOutput(128).text(field, value).toBytes(), StandardCharsets.UTF_8);
    }

    private static Map<String, String> read(String json) {
        return JsonInput.read(json, in -> {
            Map<String, String> fields = new HashMap<>();
            for (String name = in.nextField(); name != null; name = in.nextField()) {
                fields.put(name, in.textOr(""));
            }
            return fields;
        });
    }

    private static String written(Load load) {
        return new String(
                new JsonOutput(128)
                        .text("address", load.address())
                        .text("connections", Integer.toString(load.connections()))
                        .text("systemLoad", Double.toString(load.systemLoad()))
                        .text("cpu", Double.toString(load.cpu()))
                        .toBytes(),
                StandardCharsets.UTF_8);
    }

    private static Load load(NodeId of, String json) {
        Map<String, String> fields = read(json);
        return new Load(
                of.address(),
                Integer.parseInt(fields.getOrDefault("connections", "0")),
                Double.parseDouble(fields.getOrDefault("systemLoad", "0")),
                Double.parseDouble(fields.getOrDefault("cpu", "0")));
    }

    @Override
    public CompletionStage<String> drain(String address) {
        return carriedOut(DRAIN, address, this::drainHere);
    }

    @Override
    public CompletionStage<String> undrain(String address) {
        return carriedOut(UNDRAIN, address, this::undrainHere);
    }

    private CompletionStage<String> carriedOut(String action, String address, Supplier<String> here) {
        Optional<NodeId> target = node.member(address);
        if (target.isEmpty()) {
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "address: '" + address + "' (expected: the host:port of a member of the group, one of "
                            + String.join(", ", node.addresses()) + ")"));
        }
        if (target.get().equals(node.id())) {
            try {
                return done(here.get());
            } catch (CairnException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
        return ask.ask(target.get(), action, Map.of(), WITHIN)
                .thenApply(json -> read(json).getOrDefault("text", ""));
    }

    private String drainHere() {
        Map<NodeId, Long> others = node.clientsOfOthers();
        if (others.isEmpty()) {
            throw new CairnException(
                    ErrorCode.CONFLICT,
                    "node " + node.id().address() + " is not drained: no other node is in service for its clients");
        }
        log.info("An operator drains this node");
        node.drainForOperator();
        return "Node " + node.id().address() + " drains: " + clients.count()
                + " clients over gRPC are asked to move to "
                + String.join(
                        ", ", others.keySet().stream().map(NodeId::address).toList())
                + ", and those over HTTP are handed over. It takes no part until undrain or a restart";
    }

    private String undrainHere() {
        if (!node.undrain()) {
            throw new CairnException(
                    ErrorCode.CONFLICT,
                    "node " + node.id().address()
                            + " is not drained by an operator: there is nothing to end, or the node stops");
        }
        log.info("An operator has ended the drain of this node");
        return "Node " + node.id().address()
                + " is in service again once it has what the others have, in a few seconds";
    }

    @Override
    public CompletionStage<String> rebalance(double tolerance) {
        int here = clients.rebalance(tolerance);
        return ask.askAll(REBALANCE, Map.of("tolerance", Double.toString(tolerance)), WITHIN)
                .thenApply(all -> {
                    List<String> parts = new ArrayList<>();
                    long sum = add(parts, here, node.id());
                    for (Map.Entry<NodeId, String> each : all.answers().entrySet()) {
                        int asked = Integer.parseInt(read(each.getValue()).getOrDefault("asked", "0"));
                        sum += add(parts, asked, each.getKey());
                    }
                    String silent = all.isComplete()
                            ? ""
                            : "; no answer of "
                                    + String.join(
                                            ", ",
                                            all.silent().stream()
                                                    .map(NodeId::address)
                                                    .toList());
                    return (parts.isEmpty()
                                    ? "No node has clients to give away"
                                    : sum + " clients are asked to move, " + String.join(", ", parts))
                            + silent;
                });
    }

    private static long add(List<String> parts, int asked, NodeId of) {
        if (asked > 0) {
            parts.add(asked + " of " + of.address());
        }
        return asked;
    }

    /** Asks each node, because only the owner of a connection knows it. */
    @Override
    public CompletionStage<Void> move(String connectionId, String redirectAddress) {
        return ask.askAll(MOVE, Map.of("connectionId", connectionId, "redirectAddress", redirectAddress), LOADS_WITHIN)
                .thenApply(all -> null);
    }

    @Override
    public CompletionStage<Loads> loads() {
        return ask.askAll(LOADS, Map.of(), LOADS_WITHIN).thenApply(all -> {
            List<Load> loads = new ArrayList<>();
            loads.add(own.get());
            all.answers().forEach((of, json) -> loads.add(load(of, json)));
            return new Loads(loads, loads.size() + all.silent().size());
        });
    }
}
