package io.cairn.server.cluster.routing;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.ClusterMessage.Beats;
import io.cairn.server.cluster.wire.ClusterMessage.Forward;
import io.cairn.server.cluster.wire.ClusterMessage.Forwarded;
import io.cairn.server.cluster.wire.ClusterMessage.InstanceOfService;
import io.cairn.server.cluster.wire.ClusterMessage.UnknownBeats;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.group.ClientAdoption;
import io.cairn.server.naming.group.ClientRouting;
import io.cairn.server.naming.group.OperatorHealth;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.netty.util.Timer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards requests of clients without a connection to their owner, and handles forwarded ones. Without an answer of the owner,
 * this node handles the request and transfers the client later. A forwarded request is never forwarded again, so nodes with
 * different views form no circle. Does not block.
 */
public final class ClusterRouting implements ClientRouting, AutoCloseable {

    /** After this time a registration or deregistration fails over to this node. */
    static final Duration WRITE_ANSWER = Duration.ofSeconds(2);

    /** After this time the client of an unknown instance is asked to register. */
    static final Duration BEAT_ANSWER = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(ClusterRouting.class);

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final OwnerTable owners;
    private final HttpLeases leases;
    private final Recovery recovery;
    private final ClientAdoption adoption;
    private final OperatorHealth health;
    private final GroupMessages messages;
    private final Executor executor;
    private final OutstandingForwards forwards;
    private final BeatNotices beats;
    private final RebalancePasses passes;

    private static ExecutorService ownThread() {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("cairn-cluster-routing", true));
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /**
     * @param messages {@code RegistryReplication::send}
     * @param timer outlives this
     */
    public ClusterRouting(
            OwnerTable owners,
            HttpLeases leases,
            Recovery recovery,
            ClientAdoption adoption,
            OperatorHealth health,
            GroupMessages messages,
            Timer timer) {
        this(owners, leases, recovery, adoption, health, messages, timer, ownThread());
    }

    /** @param executor runs one task after the other */
    ClusterRouting(
            OwnerTable owners,
            HttpLeases leases,
            Recovery recovery,
            ClientAdoption adoption,
            OperatorHealth health,
            GroupMessages messages,
            Timer timer,
            Executor executor) {
        this.owners = owners;
        this.leases = leases;
        this.recovery = recovery;
        this.adoption = adoption;
        this.health = health;
        this.messages = messages;
        this.executor = executor;
        this.forwards = new OutstandingForwards(messages, timer);
        this.beats = new BeatNotices(messages, timer);
        this.passes = new RebalancePasses(adoption, owners, timer, executor);
    }

    /** Adds a listener for changes of the owners of clients and checks, called on the thread of the passes. */
    public void onOwnersChanged(Runnable listener) {
        passes.onOwnersChanged(listener);
    }

    /**
     * Applies members and states, after {@code RegistryReplication.view}; returns at once.
     *
     * @param members of the present view, with this node
     */
    public void membersAre(Map<NodeId, NodeState> members) {
        boolean changed = owners.membersAre(members);
        beats.membersAre(members.keySet());
        List<Runnable> ends = forwards.membersAre(members.keySet());
        if (!ends.isEmpty()) {
            failOver(() -> ends.forEach(Runnable::run));
        }
        if (changed) {
            passes.ownersChanged();
        }
    }

    /**
     * Another node publishes or holds instances of a client without a connection: this node adopts the client if it owns it, or
     * else withdraws its own publication. Called after each such change of the registry, without its locks.
     */
    public void clientMirrored(String clientId) {
        if (owners.isOwn(clientId)) {
            adoption.adopt(clientId);
        } else {
            adoption.handOver(clientId);
        }
    }

    private void failOver(Runnable ends) {
        try {
            executor.execute(ends);
        } catch (RejectedExecutionException closing) {
            ends.run();
        }
    }

    @Override
    public void close() {
        passes.close();
        forwards.close();
        if (executor instanceof ExecutorService thread) {
            thread.shutdown();
        }
    }

    @Override
    public CompletionStage<Void> register(ServiceKey service, Instance instance) {
        NodeId owner = owners.ownerOf(instance.key());
        if (isSelf(owner)) {
            leases.register(service, instance);
            return DONE;
        }
        return forwards.send(owner, new Forward.Write(Forward.Kind.REGISTER, service, instance), WRITE_ANSWER)
                .thenAccept(answer -> {
                    if (isTakenHere(answer)) {
                        leases.register(service, instance);
                        passes.begin();
                    } else if (isOwn(adoption.find(service, instance.key()))) {
                        passes.begin();
                    }
                });
    }

    @Override
    public CompletionStage<Void> deregister(ServiceKey service, InstanceKey instance, LossCause cause) {
        NodeId owner = owners.ownerOf(instance);
        ClientAdoption.KnownClient known = adoption.find(service, instance);
        NodeId origin = known == null ? null : known.origin();
        // Also without a publication here: from now on, no node holds the instance.
        recovery.deregisterOverHttp(service, instance, cause);
        Forward.Write write = new Forward.Write(Forward.Kind.DEREGISTER, service, named(instance), cause, 0);
        List<CompletableFuture<Optional<Forwarded.Result>>> answers = new ArrayList<>(2);
        for (NodeId member : owners.members()) {
            if (isSelf(member)) {
                continue;
            }
            if (member.equals(owner) || member.equals(origin)) {
                answers.add(forwards.send(member, write, WRITE_ANSWER));
            } else {
                // It may have adopted the client a moment ago, when the owner did not answer.
                forwards.sendWithoutAnswer(member, List.of(write));
            }
        }
        // Without an answer the lease ends: the client sends no more heartbeats.
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenRun(() -> answers.forEach(answer -> isTakenHere(answer.join())));
    }

    @Override
    public CompletionStage<BeatResult> beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        NodeId owner = owners.ownerOf(instance);
        if (isSelf(owner)) {
            return CompletableFuture.completedFuture(
                    beatHere(service, instance, described, adoption.find(service, instance)));
        }
        ClientAdoption.KnownClient known = adoption.find(service, instance);
        if (known == null) {
            return forwards.send(owner, beatOf(service, instance, described), BEAT_ANSWER)
                    .thenApply(answer -> {
                        if (isTakenHere(answer)) {
                            return BeatResult.UNKNOWN;
                        }
                        Forwarded.Result result = answer.orElseThrow();
                        return new BeatResult(result.isKnown(), result.beatIntervalMillis());
                    });
        }
        beats.add(owner, new InstanceOfService(service, instance));
        return CompletableFuture.completedFuture(
                known.isOwn() ? leases.beat(service, instance, described) : BeatResult.of(known.instance()));
    }

    private static Forward.Write beatOf(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        return described == null
                ? new Forward.Write(Forward.Kind.LIGHT_BEAT, service, named(instance))
                : new Forward.Write(Forward.Kind.BEAT, service, described);
    }

    @Override
    public CompletionStage<Void> healthSet(ServiceKey service, InstanceKey instance, boolean healthy) {
        Forward.Write write =
                new Forward.Write(Forward.Kind.HEALTH, service, named(instance).withHealthy(healthy));
        List<CompletableFuture<?>> answers = new ArrayList<>();
        // Each node knows by itself whether it publishes or checks the instance.
        for (NodeId member : owners.members()) {
            if (!isSelf(member)) {
                answers.add(forwards.send(member, write, WRITE_ANSWER));
            }
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    }

    private static Instance named(InstanceKey key) {
        return new Instance(key, 1, true, true, true, Map.of(), null);
    }

    /**
     * Whether this node must handle the request because the owner has not.
     *
     * @throws CairnException the refusal of the owner
     */
    private static boolean isTakenHere(Optional<Forwarded.Result> answer) {
        Forwarded.Refusal refusal = answer.map(Forwarded.Result::refusal).orElse(null);
        if (refusal == null) {
            return answer.isEmpty();
        }
        if (Refusals.isInability(refusal)) {
            return true;
        }
        throw Refusals.exception(refusal);
    }

    private boolean isSelf(NodeId node) {
        return node.equals(owners.self());
    }

    private static boolean isOwn(ClientAdoption.@Nullable KnownClient known) {
        return known != null && known.isOwn();
    }

    private BeatResult beatHere(
            ServiceKey service,
            InstanceKey instance,
            @Nullable Instance described,
            ClientAdoption.@Nullable KnownClient known) {
        if (known != null && !known.isOwn()) {
            adoption.adopt(service, known.instance(), known.publishedAt());
        }
        return leases.beat(service, instance, described);
    }

    /** Handles a message about clients on the receiving thread, without blocking; false for other messages. */
    public boolean message(NodeId from, ClusterMessage message) {
        if (message instanceof Forward forward) {
            forward(from, forward);
        } else if (message instanceof Forwarded answer) {
            forwards.answered(from, answer);
        } else if (message instanceof Beats noticed) {
            beats(from, noticed);
        } else if (message instanceof UnknownBeats unknown) {
            describe(from, unknown);
        } else {
            return false;
        }
        return true;
    }

    private void forward(NodeId from, Forward forward) {
        List<Forwarded.Result> results = new ArrayList<>(forward.writes().size());
        for (Forward.Write write : forward.writes()) {
            results.add(result(write));
        }
        if (!messages.send(from, new Forwarded(forward.id(), results))) {
            log.debug("{} takes no answer to a forwarded request; it handles the request itself", from);
        }
    }

    private Forwarded.Result result(Forward.Write write) {
        try {
            return handled(write);
        } catch (CairnException e) {
            return Refusals.result(e);
        } catch (RuntimeException e) {
            log.error("A forwarded request about {} failed; the node that has sent it handles it", write.service(), e);
            return Refusals.result(new CairnException(ErrorCode.INTERNAL, e.toString()));
        }
    }

    private Forwarded.Result handled(Forward.Write write) {
        ServiceKey service = write.service();
        Instance instance = write.instance();
        switch (write.kind()) {
            case REGISTER -> {
                if (write.publishedAt() == 0) {
                    leases.register(service, instance);
                } else {
                    adoption.adopt(service, instance, write.publishedAt());
                }
                handOverUnlessOwn(instance.key());
            }
            case DEREGISTER -> {
                // Other nodes leave it to the receiver of the client's request.
                if (owners.isOwn(instance.key()) || isOwn(adoption.find(service, instance.key()))) {
                    recovery.deregisterOverHttp(service, instance.key(), write.cause());
                }
            }
            case HEALTH -> health.set(service, instance.key(), instance.healthy());
            case BEAT, LIGHT_BEAT -> {
                BeatResult beat = beatHere(
                        service,
                        instance.key(),
                        write.kind() == Forward.Kind.BEAT ? instance : null,
                        adoption.find(service, instance.key()));
                handOverUnlessOwn(instance.key());
                return new Forwarded.Result(beat.known(), beat.intervalMillis(), null);
            }
        }
        return Forwarded.Result.DONE;
    }

    /** The sender has another view: keep the client until its owner by this node's view publishes it. */
    private void handOverUnlessOwn(InstanceKey instance) {
        if (!owners.isOwn(instance)) {
            passes.begin();
        }
    }

    private void beats(NodeId from, Beats noticed) {
        List<InstanceOfService> unknown = new ArrayList<>(0);
        for (InstanceOfService each : noticed.instances()) {
            try {
                ClientAdoption.KnownClient known = adoption.find(each.service(), each.instance());
                if (isOwn(known) || (known != null && owners.isOwn(each.instance()))) {
                    beatHere(each.service(), each.instance(), null, known);
                } else if (owners.isOwn(each.instance())) {
                    unknown.add(each);
                }
            } catch (CairnException e) {
                log.debug("A heartbeat for {} that {} has received is dropped: {}", each.service(), from, e.text());
            }
        }
        if (!unknown.isEmpty() && !messages.send(from, new UnknownBeats(unknown))) {
            log.debug("{} is not asked for {} instances; it is after their next heartbeats", from, unknown.size());
        }
    }

    private void describe(NodeId owner, UnknownBeats unknown) {
        List<Forward.Write> writes = new ArrayList<>();
        for (InstanceOfService each : unknown.instances()) {
            ClientAdoption.KnownClient known = adoption.find(each.service(), each.instance());
            // The owner has withdrawn its own publication; the change arrives later.
            if (known != null && !owner.equals(known.origin())) {
                writes.add(new Forward.Write(
                        Forward.Kind.REGISTER,
                        each.service(),
                        known.instance().withHealthy(true),
                        LossCause.DEREGISTERED,
                        known.publishedAt()));
            }
        }
        if (!writes.isEmpty()) {
            forwards.sendWithoutAnswer(owner, writes);
        }
    }

    public int outstanding() {
        return forwards.size();
    }
}
