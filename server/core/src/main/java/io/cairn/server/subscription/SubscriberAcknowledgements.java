package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Waits until the subscribers of a service on this node have the list of this moment. A gRPC client has it when it has acknowledged the
 * push, a UDP client also when it lists the service again. A client that leaves counts as a client that has it. Never blocks.
 */
public final class SubscriberAcknowledgements {

    private final ServicePusher pusher;
    private final ServiceSubscriptions subscriptions;
    private final Timer timer;

    public SubscriberAcknowledgements(ServicePusher pusher, ServiceSubscriptions subscriptions, Timer timer) {
        this.pusher = pusher;
        this.subscriptions = subscriptions;
        this.timer = timer;
    }

    /**
     * The subscribers at the begin of a wait.
     *
     * @param acknowledged the number of those with the list
     * @param behind those without it at the time limit
     */
    public record Result(int acknowledged, List<Subscriber> behind) {

        public Result {
            behind = List.copyOf(behind);
        }
    }

    /** Pushes the list at once, and completes when all have it, or at the time limit. Never fails. */
    public CompletionStage<Result> await(ServiceKey service, Duration within) {
        boolean pushed = pusher.pushNow(service);
        // After the push: who subscribes later is answered with this list.
        List<ServiceSubscriptions.Subscribed> all = subscriptions.subscribed(service);
        if (!pushed) {
            return CompletableFuture.completedFuture(new Result(0, subscribers(all)));
        }
        Set<ServiceSubscriptions.Subscribed> behind = ConcurrentHashMap.newKeySet();
        behind.addAll(all);
        CompletableFuture<Void> settled = new CompletableFuture<>();
        if (all.isEmpty()) {
            settled.complete(null);
        }
        for (ServiceSubscriptions.Subscribed each : all) {
            each.watcher().whenSettled(each.watched(), () -> {
                behind.remove(each);
                if (behind.isEmpty()) {
                    settled.complete(null);
                }
            });
        }
        Timeout limit = timer.newTimeout(fired -> settled.complete(null), within.toNanos(), TimeUnit.NANOSECONDS);
        return settled.thenApply(done -> {
            limit.cancel();
            List<Subscriber> late = subscribers(List.copyOf(behind));
            return new Result(all.size() - late.size(), late);
        });
    }

    /** The result for a node that did not show the change in time: no subscriber has it. */
    public Result late(ServiceKey service) {
        return new Result(0, subscribers(subscriptions.subscribed(service)));
    }

    private static List<Subscriber> subscribers(Collection<ServiceSubscriptions.Subscribed> of) {
        List<Subscriber> subscribers = new ArrayList<>();
        of.forEach(each -> subscribers.add(each.subscriber()));
        subscribers.sort(Subscriber.BY_ADDRESS);
        return subscribers;
    }
}
