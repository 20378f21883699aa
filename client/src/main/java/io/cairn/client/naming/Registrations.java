package io.cairn.client.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.BatchInstanceRequest;
import io.cairn.api.wire.naming.DrainAnswer;
import io.cairn.api.wire.naming.InstanceDrainRequest;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.client.internal.Connection;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Steps;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps the server's registry equal to the desired instances: sends them after each change and each reconnect. */
final class Registrations implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    private static final Duration DRAINED_FOR = Duration.ofMinutes(5);

    private final ServerLink link;
    private final Duration patience;
    private final DesiredState desired = new DesiredState();
    /** The instances sent over the present connection, by service. */
    private final Map<ServiceKey, List<Instance>> asked = new ConcurrentHashMap<>();

    /** The instances sent to the server that the client is leaving; that server keeps them until the old connection ends. */
    private final Map<ServiceKey, List<Instance>> askedBefore = new ConcurrentHashMap<>();

    private final Steps<ServiceKey> steps;

    Registrations(ServerLink link, Threads threads, Duration patience) {
        this.link = link;
        this.patience = patience;
        steps = new Steps<>(link, threads, patience, "registered", this::send);
        link.addListener(this);
    }

    /** Changes the desired state; {@link #synced} sends it. */
    void setDesired(ServiceKey service, Object holder, List<Instance> instances) {
        desired.put(service, holder, instances);
    }

    void abandon(ServiceKey service, Object holder) {
        desired.remove(service, holder);
    }

    /** Sends the desired instances until the server accepts them; fails on a timeout or a rejection. */
    CompletableFuture<Void> synced(ServiceKey service) {
        return steps.marked(service);
    }

    CompletableFuture<Void> remove(ServiceKey service, InstanceKey instance) {
        desired.removeAll(service, instance);
        return synced(service);
    }

    @Override
    public void connected(Connection connection) {
        // This server has received no instances yet, and the instances of the former connection end with it.
        askedBefore.putAll(asked);
        asked.clear();
        steps.markAll(desired.services());
    }

    @Override
    public boolean inStep() {
        return steps.inStep();
    }

    @Override
    public void closed(CairnException over) {
        steps.closed(over);
    }

    private CompletableFuture<?> send(ServiceKey service, Connection connection) {
        List<Instance> wanted = desired.of(service);
        ServiceName name = ServiceName.of(service);
        if (wanted.isEmpty()) {
            List<Instance> former = askedBefore.remove(service);
            if (former != null) {
                announceEnd(MessageCatalog.INSTANCE_REQUEST, deregistration(name, former));
            }
            List<Instance> present = asked.get(service);
            return present == null
                    ? CompletableFuture.completedFuture(null)
                    : deregister(service, connection, name, present);
        }
        List<Instance> before = asked.put(service, wanted);
        boolean several = wanted.size() > 1;
        String type = several ? MessageCatalog.BATCH_INSTANCE_REQUEST : MessageCatalog.INSTANCE_REQUEST;
        byte[] request = several
                ? new BatchInstanceRequest(
                                name,
                                BatchInstanceRequest.REGISTER,
                                wanted.stream().map(InstanceFields::of).toList())
                        .toJson()
                : new InstanceRequest(name, InstanceRequest.REGISTER, InstanceFields.of(wanted.get(0))).toJson();
        List<Instance> former = askedBefore.get(service);
        if (former != null && !former.equals(wanted)) {
            // During a move, the old server shows the last list that it received until its connection ends.
            askedBefore.put(service, wanted);
            announceEnd(type, request);
        }
        CompletableFuture<Payload> answer = link.requestNow(connection, type, request);
        return answer.thenAccept(payload -> {
            AnswerFields said = JsonInput.read(payload, AnswerFields::read);
            if (!said.succeeded()) {
                if (before == null) {
                    // The server lists no instances of this client.
                    asked.remove(service, wanted);
                }
                throw Refusals.of("Registering " + service, said);
            }
        });
    }

    private static byte[] deregistration(ServiceName name, List<Instance> registered) {
        return new InstanceRequest(name, InstanceRequest.DEREGISTER, InstanceFields.of(registered.get(0))).toJson();
    }

    /** After a failure, the end of that connection has the same effect. */
    private void announceEnd(String type, byte[] request) {
        Connection old = link.leaving();
        if (old != null) {
            link.requestNow(old, type, request).exceptionally(failure -> {
                LOG.log(System.Logger.Level.DEBUG, "The server being left did not get the instances", failure);
                return null;
            });
        }
    }

    private CompletableFuture<?> deregister(
            ServiceKey service, Connection connection, ServiceName name, List<Instance> present) {
        return link.requestNow(connection, MessageCatalog.INSTANCE_REQUEST, deregistration(name, present))
                .thenAccept(payload -> {
                    AnswerFields said = JsonInput.read(payload, AnswerFields::read);
                    CairnException refused = said.succeeded() ? null : Refusals.of("Deregistering " + service, said);
                    // A permanent rejection is not repeated; a temporary error is.
                    if (refused == null || Refusals.isDefinite(refused) && refused.code() != ErrorCode.INTERNAL) {
                        asked.remove(service, present);
                    }
                    if (refused != null) {
                        throw refused;
                    }
                });
    }

    /** A persistent instance does not belong to the connection. */
    CompletableFuture<Void> persistent(ServiceKey service, Instance instance, String type) {
        byte[] request = new InstanceRequest(ServiceName.of(service), type, InstanceFields.of(instance)).toJson();
        return link.request(MessageCatalog.PERSISTENT_INSTANCE_REQUEST, request, true)
                .thenAccept(payload -> check("Registering " + service, payload));
    }

    CompletableFuture<DrainResult> drain(ServiceKey service, Instance instance, Duration wait) {
        byte[] request = new InstanceDrainRequest(
                        ServiceName.of(service),
                        InstanceFields.of(instance),
                        wait.toMillis(),
                        DRAINED_FOR.toMillis(),
                        true)
                .toJson();
        return link.request(MessageCatalog.INSTANCE_DRAIN_REQUEST, request, true, wait.plus(patience))
                .thenApply(payload -> {
                    DrainAnswer said = JsonInput.read(payload, DrainAnswer::read);
                    if (!said.answer().succeeded()) {
                        throw Refusals.of("Draining " + instance.key() + " of " + service, said.answer());
                    }
                    return new DrainResult(
                            said.acknowledged(),
                            said.subscribers(),
                            said.waiting().stream()
                                    .map(each -> new DrainResult.Waiting(
                                            each.kind(),
                                            each.id(),
                                            each.address(),
                                            each.app(),
                                            each.agent(),
                                            each.node(),
                                            each.reason()))
                                    .toList(),
                            said.silentNodes(),
                            true);
                });
    }

    private static void check(String what, Payload payload) {
        AnswerFields said = JsonInput.read(payload, AnswerFields::read);
        if (!said.succeeded()) {
            throw Refusals.of(what, said);
        }
    }
}
