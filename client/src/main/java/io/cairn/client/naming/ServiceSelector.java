package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.balance.Balancer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Chooses among the healthy instances of a service, as they are at the moment. Thread-safe; never waits. */
public final class ServiceSelector implements AutoCloseable {

    private final ServiceWatch watch;
    private final Balancer balancer;

    ServiceSelector(ServiceWatch watch, Balancer balancer) {
        this.watch = watch;
        this.balancer = balancer;
    }

    public ServiceKey service() {
        return watch.service();
    }

    /** Chooses an instance; empty when none is healthy. Close the choice when the call is over. */
    public Optional<Choice> choose() {
        return choose(null);
    }

    /** {@link #choose()} for a key: balancers that hash give the same instance for the same key. */
    public Optional<Choice> choose(@Nullable String key) {
        List<Instance> candidates = watch.current().map(ServiceView::healthy).orElse(List.of());
        return balancer.choose(candidates, key).map(Choice::new);
    }

    @Override
    public void close() {
        watch.close();
    }

    /** An instance for one call. Balancers that count calls take it as ended when this is closed. */
    public final class Choice implements AutoCloseable {

        private final Instance instance;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Choice(Instance instance) {
            this.instance = instance;
            balancer.begin(instance);
        }

        /** The instance to call. */
        public Instance instance() {
            return instance;
        }

        @Override
        public String toString() {
            return instance.toString();
        }

        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                balancer.end(instance);
            }
        }
    }
}
