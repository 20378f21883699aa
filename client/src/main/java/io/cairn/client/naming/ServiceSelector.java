package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.balance.Balancer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Selects among the healthy instances of a subscribed service. Never waits. */
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

    /** Selects an instance; empty when the service has no healthy instance. Close the choice after the call. */
    public Optional<Choice> choose() {
        return choose(null);
    }

    /** Like {@link #choose()}; hashing balancers return the same instance for the same key. */
    public Optional<Choice> choose(@Nullable String key) {
        List<Instance> candidates = watch.current().map(ServiceView::healthy).orElse(List.of());
        return balancer.choose(candidates, key).map(Choice::new);
    }

    @Override
    public void close() {
        watch.close();
    }

    /** An instance for one call. Close it after the call, so that balancers can count the calls in progress. */
    public final class Choice implements AutoCloseable {

        private final Instance instance;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Choice(Instance instance) {
            this.instance = instance;
            balancer.begin(instance);
        }

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
