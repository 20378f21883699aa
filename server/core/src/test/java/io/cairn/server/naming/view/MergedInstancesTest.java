package io.cairn.server.naming.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.naming.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lists are the same whether or not the list before them is known. */
class MergedInstancesTest {

    private static RegisteredInstance registered(int port, int weight, long publishedAt) {
        return new RegisteredInstance(Instance.of("10.0.0.1", port).withWeight(weight), null, publishedAt);
    }

    @Test
    void aListThatDiffersLittleFromTheOneBeforeIsMergedAsAnyOther() {
        Random random = new Random(3);
        int taken = 0;
        for (int round = 0; round < 200; round++) {
            List<RegisteredInstance> all = new ArrayList<>();
            for (int port = 1; port <= 30; port++) {
                all.add(registered(port, 1, 1));
            }
            RegisteredInstance[] distinct = null;
            for (int step = 0; step < 50; step++) {
                change(random, all);
                RegisteredInstance[] joined = all.toArray(new RegisteredInstance[0]);

                RegisteredInstance[] merged = MergedInstances.of(joined, distinct);

                assertThat(merged).containsExactly(MergedInstances.of(joined, null));
                taken += distinct != null && merged == joined ? 1 : 0;
                distinct = merged == joined ? joined : null;
            }
        }
        assertThat(taken).as("lists after one without duplicates").isGreaterThan(1_000);
    }

    private static void change(Random random, List<RegisteredInstance> all) {
        for (int i = random.nextInt(4); i > 0; i--) {
            int place = random.nextInt(all.size() + 1);
            int port = 1 + random.nextInt(60);
            switch (random.nextInt(4)) {
                case 0 -> all.add(place, registered(port, 2, random.nextInt(5)));
                case 1 -> {
                    if (place < all.size()) {
                        int same = all.get(place).published().key().port();
                        all.set(place, registered(same, random.nextInt(3), random.nextInt(5)));
                    }
                }
                default -> {
                    if (place < all.size()) {
                        all.remove(place);
                    }
                }
            }
        }
    }

    @Test
    void ofAnInstanceThatIsNamedTwiceTheLaterRegistrationCounts() {
        RegisteredInstance first = registered(1, 1, 10);
        RegisteredInstance other = registered(2, 1, 10);
        RegisteredInstance[] distinct = {first, other};
        RegisteredInstance later = registered(1, 7, 11);
        RegisteredInstance earlier = registered(1, 7, 9);
        RegisteredInstance atTheSameTime = registered(1, 7, 10);

        assertThat(MergedInstances.of(new RegisteredInstance[] {first, other, later}, distinct))
                .containsExactly(later, other);
        assertThat(MergedInstances.of(new RegisteredInstance[] {first, other, earlier}, distinct))
                .containsExactly(first, other);
        assertThat(MergedInstances.of(new RegisteredInstance[] {first, other, atTheSameTime}, distinct))
                .containsExactly(atTheSameTime, other);
    }
}
