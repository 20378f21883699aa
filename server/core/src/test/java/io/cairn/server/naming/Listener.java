package io.cairn.server.naming;

import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.push.Push;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePush;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** A subscriber within this process: keeps the last list that it got, as clients do. */
final class Listener implements Watcher {

    final Selection selection;
    private final String address;
    final AtomicInteger pushes = new AtomicInteger();
    private final Executor loop;
    private volatile WatchedKey<Selection> watched;
    private volatile ServiceView last;
    private volatile boolean closed;

    /** @param address at which it is */
    Listener(Selection selection, String address, Executor loop) {
        this.selection = selection;
        this.address = address;
        this.loop = loop;
    }

    /** @param onTheWay runs between the answer and its receipt */
    void subscribe(RegistryParts naming, ServiceSubscriptions subscriptions, ServicePusher pusher, Runnable onTheWay) {
        watched = subscriptions.watch(selection, this);
        ServiceView answer = naming.reads().view(selection.service(), selection.clusters(), false);
        pusher.subscribed(watched, this, () -> !closed, answer);
        onTheWay.run();
        last = answer.seenFrom(address);
    }

    /** @param byClosing whether its connection closes; otherwise it unsubscribes */
    void end(ServiceSubscriptions subscriptions, boolean byClosing) {
        closed = true;
        if (byClosing) {
            watched.closed();
        } else {
            subscriptions.unwatch(watched, this);
        }
    }

    ServiceView last() {
        return Objects.requireNonNull(last);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public Executor loop() {
        return loop;
    }

    @Override
    public void changed(WatchedKey<?> changed, Push push) {
        pushes.incrementAndGet();
        last = ((ServicePush) push).view();
    }
}
