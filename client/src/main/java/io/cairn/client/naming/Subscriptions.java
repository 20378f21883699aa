package io.cairn.client.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.ServiceInfo;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.client.connection.Connection;
import io.cairn.client.connection.Refusals;
import io.cairn.client.connection.ServerLink;
import io.cairn.client.connection.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All subscribed services. Each is subscribed again after a reconnect, and every three minutes, should a push get lost.
 * Thread-safe; never blocks.
 */
final class Subscriptions implements ServerLink.Listener {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final long RETRY_MILLIS = 1_000;
    private static final long RESYNC_SECONDS = 180;

    private final Namespace namespace;
    private final ServerLink link;
    private final Threads threads;
    private final ServiceSnapshots snapshots;
    private final EmptyLists emptyLists;
    private final Duration hold;
    private final Map<ServiceKey, SubscribedService> services = new ConcurrentHashMap<>();

    Subscriptions(
            Namespace namespace,
            ServerLink link,
            Threads threads,
            ServiceSnapshots snapshots,
            EmptyLists emptyLists,
            Duration hold) {
        this.namespace = namespace;
        this.link = link;
        this.threads = threads;
        this.snapshots = snapshots;
        this.emptyLists = emptyLists;
        this.hold = hold;
        link.addListener(this);
        link.onPush(MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST, this::told);
        threads.timer().scheduleWithFixedDelay(this::subscribeAll, RESYNC_SECONDS, RESYNC_SECONDS, TimeUnit.SECONDS);
    }

    ServiceWatch add(ServiceKey service, ServiceListener listener, Executor executor) {
        SubscribedService.Watch[] watch = new SubscribedService.Watch[1];
        boolean[] first = new boolean[1];
        SubscribedService subscribed = services.compute(service, (same, present) -> {
            first[0] = present == null;
            SubscribedService one = present == null ? new SubscribedService(service, emptyLists) : present;
            watch[0] = one.add(listener, executor, () -> remove(one, watch[0]));
            return one;
        });
        Connection connection = link.connection();
        if (first[0] && connection != null) {
            subscribe(connection, subscribed, false);
        }
        if (link.down()) {
            threads.control().execute(this::useSnapshots);
        }
        return watch[0];
    }

    private void remove(SubscribedService subscribed, SubscribedService.Watch watch) {
        services.computeIfPresent(subscribed.service(), (service, present) -> {
            if (present != subscribed || !subscribed.remove(watch)) {
                return present;
            }
            Connection connection = link.connection();
            if (connection != null) {
                link.requestNow(connection, MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request(service, false));
            }
            return null;
        });
    }

    Optional<ServiceView> view(ServiceKey service) {
        return Optional.ofNullable(services.get(service)).flatMap(SubscribedService::view);
    }

    int size() {
        return services.size();
    }

    private static byte[] request(ServiceKey service, boolean subscribe) {
        return new SubscribeServiceRequest(ServiceName.of(service), subscribe, "").toJson();
    }

    @Override
    public void connected(Connection connection) {
        services.values().forEach(subscribed -> subscribe(connection, subscribed, false));
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

    private void subscribeAll() {
        Connection connection = link.connection();
        if (connection != null) {
            connected(connection);
        }
    }

    private void subscribe(Connection connection, SubscribedService subscribed, boolean certain) {
        byte[] request = request(subscribed.service(), true);
        link.requestNow(connection, MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request)
                .thenAccept(payload -> {
                    ServiceAnswer answer = JsonInput.read(payload, ServiceAnswer::read);
                    if (!answer.answer().succeeded()) {
                        throw Refusals.of("Subscribing to " + subscribed.service(), answer.answer());
                    }
                    ServiceInfo info = answer.service();
                    if (info != null) {
                        take(connection, subscribed, info, certain);
                    }
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        Throwable why = failure.getCause() == null ? failure : failure.getCause();
                        subscribed.fail(why);
                        subscribeLater(connection, subscribed, why);
                    }
                });
    }

    private void subscribeLater(Connection connection, SubscribedService subscribed, Throwable why) {
        if (link.connection() == connection) {
            LOG.log(System.Logger.Level.WARNING, subscribed.service() + " is not subscribed yet: " + why.getMessage());
            long pause = RETRY_MILLIS + ThreadLocalRandom.current().nextLong(RETRY_MILLIS);
            threads.timer().schedule(() -> resubscribe(connection, subscribed, false), pause, TimeUnit.MILLISECONDS);
        }
    }

    private void resubscribe(Connection connection, SubscribedService subscribed, boolean certain) {
        if (link.connection() == connection && services.get(subscribed.service()) == subscribed) {
            subscribe(connection, subscribed, certain);
        }
    }

    private @Nullable String told(Connection connection, Payload push) {
        ServiceAnswer notify = JsonInput.read(push, ServiceAnswer::read);
        ServiceInfo info = notify.service();
        // What an abandoned connection still brings is older than what its successor has said.
        if (info != null && info.name() != null && info.group() != null && link.connection() == connection) {
            SubscribedService subscribed = services.get(new ServiceKey(namespace, info.group(), info.name()));
            if (subscribed != null) {
                take(connection, subscribed, info, false);
            }
        }
        return notify.requestId();
    }

    private void take(Connection connection, SubscribedService subscribed, ServiceInfo info, boolean certain) {
        List<Instance> hosts = info.hosts();
        if (hosts == null) {
            return;
        }
        switch (subscribed.take(hosts, connection, info.generatedAt(), certain)) {
            case NEWS -> subscribed.view().ifPresent(snapshots::keep);
            case HELD_BACK -> {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} is said to have no instances; its former ones are used for {1} more",
                        subscribed.service(),
                        hold);
                threads.timer()
                        .schedule(
                                () -> resubscribe(connection, subscribed, true),
                                hold.toMillis(),
                                TimeUnit.MILLISECONDS);
            }
            case OLD -> {}
        }
    }
}
