package io.cairn.client.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.connection.Origin;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServiceChangeTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "s");

    @Test
    void changesAppliedToTheFormerListGiveThePresentOne() {
        Random random = new Random(7);
        Map<InstanceKey, Instance> model = new HashMap<>();
        ServiceView before = view(model);
        ServiceChange merged = null;
        Map<InstanceKey, Instance> mergedFrom = Map.of();
        for (int round = 0; round < 2_000; round++) {
            Map<InstanceKey, Instance> next = new HashMap<>(model);
            for (int i = 0; i < random.nextInt(4); i++) {
                Instance one = Instance.of("10.0.0.1", 1 + random.nextInt(8)).withWeight(random.nextInt(3));
                if (random.nextBoolean()) {
                    next.put(one.key(), one);
                } else {
                    next.remove(one.key());
                }
            }
            ServiceView now = view(next);
            ServiceChange change = ServiceChange.between(before, now);

            assertThat(apply(model, change)).isEqualTo(next);
            assertThat(change.isEmpty()).isEqualTo(model.equals(next));
            Map<InstanceKey, Instance> former = model(before);
            assertThat(change.modified()).allMatch(instance -> !instance.equals(former.get(instance.key())));

            merged = merged == null ? change : merged.then(change);
            assertThat(apply(mergedFrom, merged)).isEqualTo(next);
            if (round % 5 == 0) {
                merged = null;
                mergedFrom = next;
            }
            model = next;
            before = now;
        }
    }

    private static Map<InstanceKey, Instance> model(ServiceView view) {
        Map<InstanceKey, Instance> model = new HashMap<>();
        view.instances().forEach(instance -> model.put(instance.key(), instance));
        return model;
    }

    private static Map<InstanceKey, Instance> apply(Map<InstanceKey, Instance> to, ServiceChange change) {
        Map<InstanceKey, Instance> result = new HashMap<>(to);
        change.removed()
                .forEach(instance -> assertThat(result.remove(instance.key())).isNotNull());
        change.added().forEach(instance -> assertThat(result.put(instance.key(), instance))
                .isNull());
        change.modified().forEach(instance -> assertThat(result.put(instance.key(), instance))
                .isNotNull());
        return result;
    }

    private static ServiceView view(Map<InstanceKey, Instance> instances) {
        return new ServiceView(SERVICE, List.copyOf(instances.values()), Origin.SERVER, Instant.now(), false);
    }

    @Test
    void theDesiredInstancesAreThoseOfAllRegistrations() {
        DesiredState desired = new DesiredState();
        Instance one = Instance.of("10.0.0.1", 1);
        Instance two = Instance.of("10.0.0.1", 2);
        desired.put(SERVICE, "first", List.of(one));
        desired.put(SERVICE, "second", List.of(two));
        desired.put(SERVICE, "third", List.of(one.withWeight(3)));
        assertThat(desired.of(SERVICE)).containsExactly(one.withWeight(3), two);
        desired.remove(SERVICE, "third");
        assertThat(desired.of(SERVICE)).containsExactly(one, two);
        desired.removeAll(SERVICE, one.key());
        assertThat(desired.services()).containsExactly(SERVICE);
        desired.remove(SERVICE, "second");
        assertThat(desired.of(SERVICE)).isEmpty();
        assertThat(desired.services()).isEmpty();
    }
}
