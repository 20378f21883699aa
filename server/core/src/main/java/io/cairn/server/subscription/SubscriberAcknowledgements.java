package io.cairn.server.subscription;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The subscribers with pushes. A gRPC client has the list when it has acknowledged the push, a UDP client also when it lists the
 * service again. A client that leaves counts as a client that has it. Never fails.
 */
public final class SubscriberAcknowledgements implements ListAcknowledgements {

    private final ServicePusher pusher;
    private final ServiceSubscriptions subscriptions;
    private final Timer timer;

    public SubscriberAcknowledgements(ServicePusher pusher, ServiceSubscriptions subscriptions, Timer timer) {
        this.pusher = pusher;
        this.subscriptions = subscriptions;
        this.timer = timer;
    }

    @Override
    public CompletionStage<Result> await(ServiceKey service, Duration within) {
        boolean pushed = pusher.pushNow(service);
        // After the push: who subscribes later is answered with this list.
        List<ServiceSubscriptions.Subscribed> all = subscriptions.subscribed(service);
        if (!pushed) {
            return CompletableFuture.completedFuture(new Result(0, subscribers(all)));
        }
        Wait wait = new Wait(service, within);
        wait.begin(all);
        return wait.settled.thenApply(done -> wait.result());
    }

    @Override
    public CompletionStage<Result> again(ServiceKey service, Duration within) {
        return await(service, within);
    }

    /** Includes the subscribers that arrive meanwhile: a client that connects again has its former list for a moment. */
    private final class Wait {

        private final ServiceKey service;
        private final CompletableFuture<Void> settled = new CompletableFuture<>();
        private final Timeout limit;

        @GuardedBy("this")
        private final Set<Seen> seen = new HashSet<>();

        @GuardedBy("this")
        private final Set<ServiceSubscriptions.Subscribed> behind = new HashSet<>();

        private record Seen(WatchedKey<Selection> watched, Watcher watcher) {}

        Wait(ServiceKey service, Duration within) {
            this.service = service;
            this.limit = timer.newTimeout(fired -> settled.complete(null), within.toNanos(), TimeUnit.NANOSECONDS);
        }

        void begin(List<ServiceSubscriptions.Subscribed> present) {
            List<ServiceSubscriptions.Subscribed> unseen = new ArrayList<>();
            synchronized (this) {
                for (ServiceSubscriptions.Subscribed each : present) {
                    if (seen.add(new Seen(each.watched(), each.watcher()))) {
                        unseen.add(each);
                    }
                }
                behind.addAll(unseen);
                if (behind.isEmpty()) {
                    settled.complete(null);
                }
            }
            for (ServiceSubscriptions.Subscribed each : unseen) {
                pusher.whenAnswerTaken(each.watched(), each.watcher(), () -> each.watcher()
                        .whenSettled(each.watched(), () -> has(each)));
            }
        }

        private void has(ServiceSubscriptions.Subscribed subscriber) {
            boolean isLast;
            synchronized (this) {
                behind.remove(subscriber);
                isLast = behind.isEmpty();
            }
            if (isLast && !settled.isDone()) {
                begin(subscriptions.subscribed(service));
            }
        }

        synchronized Result result() {
            limit.cancel();
            return new Result(seen.size() - behind.size(), subscribers(behind));
        }
    }

    @Override
    public CompletionStage<Result> late(ServiceKey service) {
        return CompletableFuture.completedFuture(new Result(0, subscribers(subscriptions.subscribed(service))));
    }

    private static List<LateSubscriber> subscribers(Collection<ServiceSubscriptions.Subscribed> of) {
        List<LateSubscriber> subscribers = new ArrayList<>();
        of.forEach(each -> subscribers.add(LateSubscriber.of(each.kind(), each.subscriber())));
        subscribers.sort(LateSubscriber.BY_ADDRESS);
        return subscribers;
    }
}
