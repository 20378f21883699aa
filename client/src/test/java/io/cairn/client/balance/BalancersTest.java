package io.cairn.client.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cairn.api.naming.Instance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BalancersTest {

    private static final int DRAWS = 30_000;

    private static Instance instance(int port, double weight) {
        return Instance.of("10.0.0.1", port).withWeight(weight);
    }

    private static Map<Integer, Integer> draw(Balancer balancer, List<Instance> candidates, int draws) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < draws; i++) {
            counts.merge(balancer.choose(candidates, null).orElseThrow().key().port(), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void noneChoosesAmongNothing() {
        for (Balancer balancer : List.of(
                Balancers.weighted(),
                Balancers.roundRobin(),
                Balancers.leastOutstanding(),
                Balancers.powerOfTwoChoices(),
                Balancers.consistentHash(),
                Balancers.zoneAware("zone", "a", 0.5, Balancers.weighted()))) {
            assertThat(balancer.choose(List.of(), "key")).isEmpty();
        }
    }

    @Test
    void weightedChoosesInProportion() {
        Map<Integer, Integer> counts =
                draw(Balancers.weighted(new Random(1)), List.of(instance(1, 1), instance(2, 3)), DRAWS);
        assertThat(counts.get(2) / (double) DRAWS).isCloseTo(0.75, within(0.02));
    }

    @Test
    void roundRobinDropsTheSharesOfRemovedInstances() {
        Balancer balancer = Balancers.roundRobin();
        // 1 is chosen first, and has a debt of 100 then.
        assertThat(balancer.choose(List.of(instance(1, 100), instance(2, 100)), null))
                .map(chosen -> chosen.key().port())
                .contains(1);
        balancer.choose(List.of(instance(3, 1), instance(2, 1)), null);
        assertThat(draw(balancer, List.of(instance(1, 1), instance(3, 1)), 10)).containsEntry(1, 5);
    }

    @Test
    void roundRobinIsExactAndSpreadsOut() {
        Balancer balancer = Balancers.roundRobin();
        List<Instance> candidates = List.of(instance(1, 1), instance(2, 2), instance(3, 1));
        List<Integer> order = IntStream.range(0, 8)
                .mapToObj(i ->
                        balancer.choose(candidates, null).orElseThrow().key().port())
                .toList();
        assertThat(order).containsExactly(2, 1, 3, 2, 2, 1, 3, 2);
        assertThat(draw(balancer, List.of(instance(2, 1), instance(9, 1)), 10)).containsEntry(9, 5);
    }

    @Test
    void leastOutstandingPrefersIdleInstances() {
        Balancer balancer = Balancers.leastOutstanding();
        List<Instance> candidates = List.of(instance(1, 1), instance(2, 1), instance(3, 2));
        balancer.begin(candidates.get(0));
        balancer.begin(candidates.get(2));
        // One call on weight 2 is as much as none on weight 1: (1 + 1) / 2 = (0 + 1) / 1.
        assertThat(draw(balancer, candidates, 100)).doesNotContainKey(1);
        balancer.end(candidates.get(2));
        assertThat(draw(balancer, candidates, 100)).containsOnlyKeys(3);
    }

    @Test
    void powerOfTwoKeepsCallsEvenWithoutRunningToOne() {
        Balancer balancer = Balancers.powerOfTwoChoices();
        List<Instance> candidates =
                IntStream.rangeClosed(1, 10).mapToObj(port -> instance(port, 1)).toList();
        Map<Integer, Integer> underway = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            Instance chosen = balancer.choose(candidates, null).orElseThrow();
            balancer.begin(chosen);
            underway.merge(chosen.key().port(), 1, Integer::sum);
        }
        assertThat(underway.values()).hasSize(10).allMatch(calls -> calls > 85 && calls < 115);
        Balancer idle = Balancers.powerOfTwoChoices();
        idle.begin(candidates.get(0));
        assertThat(draw(idle, candidates, 1_000).keySet()).hasSizeBetween(9, 10);
    }

    @Test
    void consistentHashMovesOnlyTheShareOfARemovedInstance() {
        Balancer balancer = Balancers.consistentHash();
        List<Instance> all = IntStream.rangeClosed(1, 10)
                .mapToObj(port -> instance(port, port == 1 ? 2 : 1))
                .toList();
        List<Instance> fewer = new ArrayList<>(all);
        fewer.remove(4);
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < 11_000; i++) {
            int before = balancer.choose(all, "key-" + i).orElseThrow().key().port();
            int after = balancer.choose(fewer, "key-" + i).orElseThrow().key().port();
            counts.merge(before, 1, Integer::sum);
            if (before != 5) {
                assertThat(after).isEqualTo(before);
            }
        }
        assertThat(counts.get(1)).isBetween(1_800, 2_200);
        assertThat(counts.get(2)).isBetween(850, 1_150);
    }

    @Test
    void aZoneKeepsItsTrafficUntilItIsTooWeakAndSpillsOver() {
        Balancer balancer = Balancers.zoneAware("zone", "a", 0.5, Balancers.weighted());
        List<Instance> strong = List.of(zoned(1, "a"), zoned(2, "b"), zoned(3, "b"));
        // Fair share 1.5 of 3, enough is the half of it: one instance suffices.
        assertThat(draw(balancer, strong, 1_000)).containsOnlyKeys(1);

        List<Instance> weak = new ArrayList<>(strong);
        IntStream.range(4, 10).forEach(port -> weak.add(zoned(port, "b")));
        // Nine in all: the fair share is 4.5, enough 2.25, and there is 1: 44 % stay.
        int stayed = draw(balancer, weak, DRAWS).get(1);
        assertThat(stayed / (double) DRAWS).isCloseTo(1 / 2.25, within(0.03));

        assertThat(draw(balancer, List.of(zoned(2, "b")), 10)).containsOnlyKeys(2);
    }

    private static Instance zoned(int port, String zone) {
        return instance(port, 1).withMetadata(Map.of("zone", zone));
    }
}
