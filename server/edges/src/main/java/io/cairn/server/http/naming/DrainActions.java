package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.Drains;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.subscription.ListAcknowledgements;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Takes an instance out of the lists of consumers, and waits for the acknowledgements of the subscribers on all nodes. Never
 * blocks.
 */
public final class DrainActions {

    /** For a question and its answer between nodes. */
    private static final Duration TRAVEL = Duration.ofSeconds(1);

    private final RegistryView reads;
    private final Drains drains;
    private final ListAcknowledgements acknowledgements;
    private final NodeRead<NodeResult> onNodes;
    private final String self;
    private final Timer acknowledged;
    private final Timer unacknowledged;
    private final Counter waiting;

    /** @param self the address of this node */
    public DrainActions(
            String self,
            RegistryView reads,
            Drains drains,
            ListAcknowledgements acknowledgements,
            ClusterReads nodes,
            ReadPool pool,
            MeterRegistry meters) {
        this.acknowledged =
                Timer.builder(MeterNames.DRAINS).tag("acknowledged", "true").register(meters);
        this.unacknowledged =
                Timer.builder(MeterNames.DRAINS).tag("acknowledged", "false").register(meters);
        this.waiting = Counter.builder(MeterNames.DRAINS_WAITING).register(meters);
        this.self = self;
        this.reads = reads;
        this.drains = drains;
        this.acknowledgements = acknowledgements;
        this.onNodes = NodeRead.declareWaiting(nodes, "naming.drain", NodeResult.class, this::await, pool);
    }

    /**
     * The subscribers of one node.
     *
     * @param acknowledged those with the list without the instance
     */
    public record NodeResult(int acknowledged, List<LateSubscriber> waiting) {}

    /**
     * A drain after its wait.
     *
     * @param until its end, in epoch milliseconds
     * @param acknowledged whether every subscriber has the list without the instance
     * @param subscribers those with the list
     * @param waiting those without it at the time limit
     */
    public record Drained(long until, boolean acknowledged, int subscribers, List<LateSubscriber> waiting) {}

    /**
     * @param lasting after which time the drain ends by itself
     * @param force also drains the last instance in service
     * @return fails with {@code NOT_FOUND}, and with {@code CONFLICT} for the last instance in service
     */
    public CompletionStage<Gathered<Drained>> drain(
            ServiceKey service, InstanceKey instance, Duration lasting, Duration wait, boolean force, Caller by) {
        mustBeRegistered(service, instance);
        Predicate<InstanceKey> isOther = known -> !known.equals(instance);
        boolean mustLeaveOne = !force && isInService(service, instance::equals);
        if (mustLeaveOne && !isInService(service, isOther)) {
            throw lastInService(service, instance);
        }
        long begun = System.nanoTime();
        long deadline = begun + wait.toNanos();
        return drains.begin(by, service, instance, lasting).thenCompose(until -> {
            // Two nodes may have drained the last two instances at once.
            if (mustLeaveOne && !isInService(service, isOther)) {
                return drains.end(by, service, instance)
                        .thenCompose(ended -> CompletableFuture.failedFuture(lastInService(service, instance)));
            }
            return ask(service, instance, deadline, false)
                    .thenCompose(first -> isComplete(first)
                            // A consumer that moved to a node after its answer has its former list for a moment.
                            ? ask(service, instance, deadline, true).thenApply(second -> joined(first, second))
                            : CompletableFuture.completedFuture(first))
                    .thenApply(results -> counted(service, instance, begun, gathered(until, results)));
        });
    }

    private CompletionStage<Gathered<NodeResult>> ask(
            ServiceKey service, InstanceKey instance, long deadline, boolean again) {
        Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        return onNodes.allWithin(question(service, instance, left, again), left.plus(TRAVEL));
    }

    private static boolean isComplete(Gathered<NodeResult> results) {
        return results.silent().isNone()
                && results.rows().stream().allMatch(each -> each.waiting().isEmpty());
    }

    /** The numbers of the first answers with the consumers that the second ones name. */
    private static Gathered<NodeResult> joined(Gathered<NodeResult> first, Gathered<NodeResult> second) {
        List<NodeResult> rows = new ArrayList<>(first.rows());
        second.rows().forEach(each -> rows.add(new NodeResult(0, each.waiting())));
        return new Gathered<>(rows, second.silent());
    }

    /** The result of a drain at this moment. Fails with {@code NOT_FOUND} without a drain. */
    public CompletionStage<Gathered<Drained>> progress(ServiceKey service, InstanceKey instance) {
        long until = drains.endMillis(service, instance);
        if (until == 0) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND,
                    "instance " + address(instance) + " of cluster " + instance.cluster() + " of service "
                            + NamingWire.groupedName(service) + " is not drained");
        }
        return ask(service, instance, System.nanoTime(), false).thenApply(results -> gathered(until, results));
    }

    private Gathered<Drained> counted(ServiceKey service, InstanceKey instance, long begun, Gathered<Drained> result) {
        Drained drained = result.rows().get(0);
        drains.answered(
                service, instance, drained.subscribers(), drained.waiting().size(), drained.acknowledged());
        (drained.acknowledged() ? acknowledged : unacknowledged)
                .record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
        waiting.increment(drained.waiting().size());
        return result;
    }

    /** Ends a drain; no effect without one. */
    public CompletionStage<Void> end(ServiceKey service, InstanceKey instance, Caller by) {
        return drains.end(by, service, instance);
    }

    private void mustBeRegistered(ServiceKey service, InstanceKey instance) {
        if (reads.snapshot(service).published().stream()
                .noneMatch(known -> known.key().equals(instance))) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND,
                    "instance " + address(instance) + " of cluster " + instance.cluster()
                            + " is not registered in service " + NamingWire.groupedName(service)
                            + "; nothing was drained");
        }
    }

    private boolean isInService(ServiceKey service, Predicate<InstanceKey> which) {
        return reads.snapshot(service).instances().stream()
                .anyMatch(known -> known.enabled() && known.healthy() && known.weight() > 0 && which.test(known.key()));
    }

    private static CairnException lastInService(ServiceKey service, InstanceKey instance) {
        return new CairnException(
                ErrorCode.CONFLICT,
                "instance " + address(instance) + " is the last one in service of " + NamingWire.groupedName(service)
                        + ", so it is not drained; force=true drains it");
    }

    private static String address(InstanceKey instance) {
        return instance.ip() + ':' + instance.port();
    }

    private static Map<String, String> question(
            ServiceKey service, InstanceKey instance, Duration wait, boolean again) {
        Map<String, String> asked = ServiceQuestion.of(service, instance);
        asked.put("waitMillis", Long.toString(wait.toMillis()));
        asked.put("again", Boolean.toString(again));
        return asked;
    }

    /** After this node shows the drain and its subscribers have acknowledged it. */
    private CompletionStage<List<NodeResult>> await(Map<String, String> asked) {
        ServiceKey service = ServiceQuestion.service(asked);
        InstanceKey instance = ServiceQuestion.instance(asked);
        Duration wait = Duration.ofMillis(Long.parseLong(ServiceQuestion.required(asked, "waitMillis")));
        long deadline = System.nanoTime() + wait.toNanos();
        return drains.whenShown(service, instance, wait)
                .thenCompose(isShown -> {
                    if (!isShown) {
                        return acknowledgements.late(service);
                    }
                    Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                    return Boolean.parseBoolean(asked.get("again"))
                            ? acknowledgements.again(service, left)
                            : acknowledgements.await(service, left);
                })
                .thenApply(result -> List.of(new NodeResult(
                        result.acknowledged(),
                        result.late().stream().map(each -> each.at(self)).toList())));
    }

    private static Gathered<Drained> gathered(long until, Gathered<NodeResult> results) {
        int acknowledged = 0;
        List<LateSubscriber> waiting = new ArrayList<>();
        for (NodeResult each : results.rows()) {
            acknowledged += each.acknowledged();
            waiting.addAll(each.waiting());
        }
        waiting.sort(LateSubscriber.BY_ADDRESS);
        boolean all = waiting.isEmpty() && results.silent().isNone();
        return new Gathered<>(List.of(new Drained(until, all, acknowledged, List.copyOf(waiting))), results.silent());
    }
}
