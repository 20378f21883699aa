package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.BatchInstanceRequest;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.client.connection.Connection;
import io.cairn.client.connection.Refusals;
import io.cairn.client.connection.ServerLink;
import io.cairn.client.connection.Threads;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the registry in step with what is desired: after each change, and after each reconnect. For one service only one
 * request is under way, so the last wish is the last one heard. Thread-safe; never blocks.
 */
final class Registrations implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final long RETRY_MILLIS = 1_000;

    private final ServerLink link;
    private final Threads threads;
    private final DesiredState desired = new DesiredState();
    private final Map<ServiceKey, CompletableFuture<Void>> underway = new HashMap<>();

    Registrations(ServerLink link, Threads threads) {
        this.link = link;
        this.threads = threads;
        link.addListener(this);
    }

    /** Registers these, beside others of the service; they stay desired whatever becomes of this request. */
    CompletableFuture<Void> put(ServiceKey service, List<Instance> instances) {
        desired.put(service, instances);
        return send(service, instances);
    }

    CompletableFuture<Void> remove(ServiceKey service, Collection<InstanceKey> instances) {
        List<Instance> last = desired.of(service);
        desired.remove(service, instances);
        return send(service, last);
    }

    /** Gives up a wish that was refused. */
    void forget(ServiceKey service, Collection<InstanceKey> instances) {
        desired.remove(service, instances);
    }

    @Override
    public void connected(Connection connection) {
        for (ServiceKey service : desired.services()) {
            again(connection, service);
        }
    }

    private void again(Connection connection, ServiceKey service) {
        send(service, desired.of(service)).whenComplete((done, failure) -> {
            if (failure != null && link.connection() == connection) {
                LOG.log(System.Logger.Level.WARNING, service + " is not registered again yet: " + failure.getMessage());
                long pause = RETRY_MILLIS + ThreadLocalRandom.current().nextLong(RETRY_MILLIS);
                threads.timer().schedule(() -> again(connection, service), pause, TimeUnit.MILLISECONDS);
            }
        });
    }

    private CompletableFuture<Void> send(ServiceKey service, List<Instance> last) {
        synchronized (underway) {
            CompletableFuture<Void> before = underway.getOrDefault(service, CompletableFuture.completedFuture(null));
            CompletableFuture<Void> after =
                    before.handle((done, failure) -> null).thenCompose(ignored -> sendNow(service, last));
            underway.put(service, after);
            after.whenComplete((done, failure) -> {
                synchronized (underway) {
                    underway.remove(service, after);
                }
            });
            return after;
        }
    }

    private CompletableFuture<Void> sendNow(ServiceKey service, List<Instance> last) {
        List<Instance> wanted = desired.of(service);
        ServiceName name = ServiceName.of(service);
        if (wanted.isEmpty() && last.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Payload> answer;
        if (wanted.size() > 1) {
            List<InstanceFields> all = wanted.stream().map(InstanceFields::of).toList();
            answer = link.request(
                    MessageCatalog.BATCH_INSTANCE_REQUEST,
                    new BatchInstanceRequest(name, BatchInstanceRequest.REGISTER, all).toJson(),
                    true);
        } else {
            String type = wanted.isEmpty() ? InstanceRequest.DEREGISTER : InstanceRequest.REGISTER;
            Instance one = wanted.isEmpty() ? last.get(0) : wanted.get(0);
            answer = link.request(
                    MessageCatalog.INSTANCE_REQUEST,
                    new InstanceRequest(name, type, InstanceFields.of(one)).toJson(),
                    true);
        }
        return answer.thenAccept(payload -> check("Registering " + service, payload));
    }

    /** Registers or removes an instance that does not belong to the connection. */
    CompletableFuture<Void> persistent(ServiceKey service, Instance instance, String type) {
        byte[] request = new InstanceRequest(ServiceName.of(service), type, InstanceFields.of(instance)).toJson();
        return link.request(MessageCatalog.PERSISTENT_INSTANCE_REQUEST, request, true)
                .thenAccept(payload -> check("Registering " + service, payload));
    }

    private static void check(String what, Payload payload) {
        AnswerFields said = JsonInput.read(payload, AnswerFields::read);
        if (!said.succeeded()) {
            throw Refusals.of(what, said);
        }
    }
}
