package io.cairn.server.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimingWheelsTest {

    private static final long FURTHEST = 1L << 25; // beyond what the slowest wheel reaches

    private final TimingWheels wheels = new TimingWheels();
    private long now;

    private static final class Entry extends TimingWheels.Item {
        private final long addedTick;
        private final long dueTick;

        Entry(long addedTick, long dueTick) {
            this.addedTick = addedTick;
            this.dueTick = dueTick;
        }

        @Override
        long dueTick() {
            return dueTick;
        }

        long latestTick() {
            long ahead = Math.max(1, dueTick - addedTick);
            return addedTick + ahead + (ahead < TimingWheels.SLOTS - 1 ? 0 : ahead / 60 + 1);
        }
    }

    private Entry add(long ahead) {
        Entry entry = new Entry(now, now + ahead);
        wheels.add(entry);
        return entry;
    }

    private List<TimingWheels.Item> advance(long tick) {
        List<TimingWheels.Item> due = new ArrayList<>();
        now = tick;
        wheels.advance(tick, due);
        return due;
    }

    @Test
    void aNearTimerIsDueAtItsTick() {
        for (int ahead = 1; ahead < TimingWheels.SLOTS - 1; ahead++) {
            add(ahead);
        }

        for (int tick = 1; tick < TimingWheels.SLOTS - 1; tick++) {
            assertThat(wheels.nextTick()).isEqualTo(tick);
            assertThat(advance(tick))
                    .singleElement()
                    .extracting(TimingWheels.Item::dueTick)
                    .isEqualTo((long) tick);
        }
        assertThat(wheels.nextTick()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anOverdueTimerIsDueAtTheNextTick() {
        advance(1_000);
        Entry entry = new Entry(now, 10);
        wheels.add(entry);

        assertThat(wheels.nextTick()).isEqualTo(1_001);
        assertThat(advance(1_001)).containsExactly(entry);
    }

    @Test
    void manyThatAreFarOffAreDueAtFewMoments() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            add(400 + random.nextInt(400)); // 20 to 40 s
        }

        int moments = 0;
        for (long tick = wheels.nextTick(); tick != Long.MAX_VALUE; tick = wheels.nextTick()) {
            advance(tick);
            moments++;
        }

        assertThat(moments).isLessThanOrEqualTo(400 / TimingWheels.TIMES_SLOWER + 2);
    }

    @Test
    void returnsAllRemainingTimersAtTheEnd() {
        Set<TimingWheels.Item> all = new HashSet<>();
        for (long ahead = 1; ahead < FURTHEST; ahead = ahead * 3 / 2 + 1) {
            all.add(add(ahead));
            all.add(add(ahead));
        }

        List<TimingWheels.Item> left = new ArrayList<>();
        wheels.drainTo(left);

        assertThat(left).containsExactlyInAnyOrderElementsOf(all).noneMatch(TimingWheels.Item::isPlaced);
        assertThat(wheels.nextTick()).isEqualTo(Long.MAX_VALUE);
    }

    /** Steps of any size: nothing too early, nothing twice, nothing late, and nothing between two ticks that are announced. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithASortedListOfTimers(long seed) {
        Random random = new Random(seed);
        Set<Entry> waiting = new HashSet<>();
        for (int step = 0; step < 20_000; step++) {
            if (random.nextInt(3) > 0) {
                waiting.add(add((long) Math.pow(FURTHEST, random.nextDouble())));
            }
            if (random.nextInt(4) == 0 && !waiting.isEmpty()) {
                Entry entry = waiting.iterator().next();
                wheels.remove(entry);
                assertThat(entry.isPlaced()).isFalse();
                waiting.remove(entry);
            }
            long next = wheels.nextTick();
            boolean toTheNext = random.nextBoolean() && next != Long.MAX_VALUE;
            long to = toTheNext ? next : now + 1 + (long) Math.pow(100_000, random.nextDouble() * random.nextDouble());
            List<TimingWheels.Item> due = advance(to);

            assertThat(to >= next || due.isEmpty())
                    .as("something was due at %s, before %s", to, next)
                    .isTrue();
            for (TimingWheels.Item item : due) {
                assertThat(waiting.remove(item)).as("handed out once").isTrue();
                assertThat(item.dueTick()).isLessThanOrEqualTo(Math.max(now, ((Entry) item).addedTick + 1));
            }
            for (Entry entry : waiting) {
                // Millions: an assertion for each would take most of the time.
                if (entry.latestTick() <= now) {
                    throw new AssertionError("at %s one due at %s waits, whose latest tick is %s"
                            .formatted(now, entry.dueTick, entry.latestTick()));
                }
            }
        }
        while (!waiting.isEmpty()) {
            for (TimingWheels.Item item : advance(wheels.nextTick())) {
                assertThat(waiting.remove(item)).as("handed out once").isTrue();
                assertThat(now).isLessThanOrEqualTo(((Entry) item).latestTick());
            }
        }
    }
}
