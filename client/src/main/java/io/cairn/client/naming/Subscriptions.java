package io.cairn.client.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.api.wire.naming.ServiceInfo;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.client.internal.Connection;
import io.cairn.client.internal.Link;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Steps;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All subscribed services. The client subscribes again after each reconnect, and every three minutes in case a push was
 * lost.
 */
final class Subscriptions implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final Duration RESYNC = Duration.ofMinutes(3);

    private final Namespace namespace;
    private final Link link;
    private final Threads threads;
    private final ServiceSnapshots snapshots;
    private final EmptyLists emptyLists;
    private final Duration hold;
    private final Map<ServiceKey, SubscribedService> services = new ConcurrentHashMap<>();
    /** The services that were subscribed to over the present connection. */
    private final Set<ServiceKey> asked = ConcurrentHashMap.newKeySet();

    private final Steps<ServiceKey> steps;

    Subscriptions(
            Namespace namespace,
            Link link,
            Threads threads,
            ServiceSnapshots snapshots,
            EmptyLists emptyLists,
            Duration hold,
            Duration patience) {
        this.namespace = namespace;
        this.link = link;
        this.threads = threads;
        this.snapshots = snapshots;
        this.emptyLists = emptyLists;
        this.hold = hold;
        steps = new Steps<>(link, threads, patience, "subscribed", this::send);
        link.addListener(this);
        link.onPush(MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST, this::receive);
        threads.repeat(RESYNC, () -> steps.markAll(services.keySet()));
    }

    ServiceWatch add(ServiceKey service, ServiceListener listener, Executor executor) {
        SubscribedService.Watch[] watch = new SubscribedService.Watch[1];
        boolean[] first = new boolean[1];
        services.compute(service, (same, present) -> {
            first[0] = present == null;
            SubscribedService one = present == null ? new SubscribedService(service, emptyLists) : present;
            watch[0] = one.add(listener, executor, () -> remove(one, watch[0]));
            return one;
        });
        watch[0].start();
        if (first[0]) {
            steps.mark(service);
        }
        if (link.down()) {
            threads.transport().execute(this::useSnapshots);
        }
        return watch[0];
    }

    private void remove(SubscribedService subscribed, SubscribedService.Watch watch) {
        boolean[] last = new boolean[1];
        services.computeIfPresent(subscribed.service(), (service, present) -> {
            last[0] = present == subscribed && subscribed.remove(watch);
            return last[0] ? null : present;
        });
        if (last[0]) {
            steps.mark(subscribed.service());
        }
    }

    Optional<ServiceView> view(ServiceKey service) {
        return Optional.ofNullable(services.get(service)).flatMap(SubscribedService::view);
    }

    int size() {
        return services.size();
    }

    /** @param since the known revision, 0 for a whole list; a server with deltas returns the changes since then */
    private static byte[] request(ServiceKey service, boolean subscribe, long since) {
        return new SubscribeServiceRequest(
                        ServiceName.of(service), subscribe, "", subscribe ? Long.valueOf(since) : null)
                .toJson();
    }

    @Override
    public void connected(Connection connection) {
        asked.clear();
        steps.markAll(services.keySet());
    }

    @Override
    public boolean inStep() {
        return steps.inStep();
    }

    @Override
    public void closed(CairnException over) {
        steps.closed(over);
    }

    @Override
    public void disconnected() {
        if (link.down()) {
            useSnapshots();
        }
    }

    private void useSnapshots() {
        for (SubscribedService subscribed : services.values()) {
            if (subscribed.view().isEmpty()) {
                snapshots.find(subscribed.service()).ifPresent(subscribed::takeSnapshot);
            }
        }
    }

    private CompletableFuture<?> send(ServiceKey service, Connection connection) {
        SubscribedService subscribed = services.get(service);
        if (subscribed == null) {
            // After a failure the server keeps pushing, and the client ignores these pushes.
            return asked.remove(service)
                    ? link.requestNow(connection, MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request(service, false, 0))
                    : CompletableFuture.completedFuture(null);
        }
        asked.add(service);
        long since = subscribed.revision(connection);
        byte[] request = request(service, true, since);
        return link.requestNow(connection, MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request)
                .thenAccept(payload -> {
                    ServiceAnswer answer = JsonInput.read(payload, ServiceAnswer::read);
                    if (!answer.answer().succeeded()) {
                        CairnException refused = Refusals.of("Subscribing to " + service, answer.answer());
                        if (Refusals.isDefinite(refused)) {
                            subscribed.fail(refused);
                        }
                        throw refused;
                    }
                    if (link.connection() == connection) {
                        answered(connection, subscribed, since, answer);
                    }
                });
    }

    private void answered(Connection connection, SubscribedService subscribed, long since, ServiceAnswer answer) {
        ServiceDelta delta = answer.delta();
        if (delta == null) {
            if (answer.revision() < since) {
                // The service was removed and created again after the server's clock was set back; this is not a late
                // response.
                subscribed.forgetRevision();
            }
            takeWhole(connection, subscribed, answer);
        } else if (taken(subscribed, subscribed.apply(delta, connection)) == SubscribedService.Taken.GAP) {
            subscribed.forgetRevision();
            throw new CairnException(
                    ErrorCode.INTERNAL,
                    "The server tells what has changed in " + subscribed.service() + " since revision " + delta.since()
                            + ", which is not here; the whole list is asked for");
        }
    }

    private @Nullable String receive(Connection connection, Payload push) {
        ServiceAnswer notify = JsonInput.read(push, ServiceAnswer::read);
        ServiceInfo info = notify.service();
        ServiceDelta delta = notify.delta();
        // A message of a former connection is older than the messages of the present one.
        if (link.connection() == connection) {
            if (delta != null) {
                SubscribedService subscribed = find(delta.group(), delta.name());
                if (subscribed != null
                        && taken(subscribed, subscribed.apply(delta, connection)) == SubscribedService.Taken.GAP) {
                    steps.mark(subscribed.service());
                }
            } else if (info != null) {
                SubscribedService subscribed = find(info.group(), info.name());
                if (subscribed != null) {
                    takeWhole(connection, subscribed, notify);
                }
            }
        }
        return notify.requestId();
    }

    private @Nullable SubscribedService find(@Nullable String group, @Nullable String name) {
        return group == null || name == null ? null : services.get(new ServiceKey(namespace, group, name));
    }

    private void takeWhole(Connection connection, SubscribedService subscribed, ServiceAnswer message) {
        ServiceInfo info = message.service();
        List<Instance> hosts = info == null ? null : info.hosts();
        if (info != null && hosts != null) {
            taken(subscribed, subscribed.apply(hosts, connection, info.generatedAt(), message.revision()));
        }
    }

    private SubscribedService.Taken taken(SubscribedService subscribed, SubscribedService.Taken taken) {
        switch (taken) {
            case NEWS -> subscribed.view().ifPresent(snapshots::keep);
            case HELD_BACK -> {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The server reports no instances of {0}; the former ones are used for {1} more",
                        subscribed.service(),
                        hold);
                Object held = subscribed.holding();
                if (held != null) {
                    threads.timer()
                            .schedule(() -> acceptNext(subscribed, held), hold.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
            case OLD, GAP -> {}
        }
        return taken;
    }

    private void acceptNext(SubscribedService subscribed, Object held) {
        subscribed.acceptNext(held);
        if (services.get(subscribed.service()) == subscribed) {
            steps.mark(subscribed.service());
        }
    }
}
