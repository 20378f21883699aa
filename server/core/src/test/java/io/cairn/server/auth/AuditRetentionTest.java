package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class AuditRetentionTest {

    private static final Duration KEPT = Duration.ofDays(90);

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final Forgetting store = new Forgetting();
    private final AtomicBoolean isMine = new AtomicBoolean(true);
    private final AuditRetention retention = new AuditRetention(store, KEPT, clock, timer, isMine::get);

    /** Records each deletion, and completes it with the number that the test sets. */
    private static final class Forgetting implements AuditStore {

        private final List<Long> before = new ArrayList<>();
        private int left;
        private boolean fails;

        @Override
        public CompletionStage<Void> append(AuditRecord entry) {
            throw new AssertionError("nothing is appended");
        }

        @Override
        public long count(Query query) {
            throw new AssertionError("nothing is counted");
        }

        @Override
        public List<AuditRecord> find(Query query, long offset, int limit) {
            throw new AssertionError("nothing is searched for");
        }

        @Override
        public List<AuditRecord> findBefore(Query query, long id, int limit) {
            throw new AssertionError("nothing is searched for");
        }

        @Override
        public CompletionStage<Integer> forgetBefore(long millis, int limit) {
            before.add(millis);
            if (fails) {
                return CompletableFuture.failedFuture(new IllegalStateException("away, for a test"));
            }
            int forgotten = Math.min(left, limit);
            left -= forgotten;
            return CompletableFuture.completedFuture(forgotten);
        }
    }

    @Test
    void deletesExpiredEntriesEachHourAndLongListsInSteps() throws Exception {
        store.left = 2_500;
        retention.start();
        timer.pass(Duration.ofSeconds(59));
        assertThat(store.before).isEmpty();

        timer.pass(Duration.ofSeconds(3));
        assertThat(store.before).hasSize(3).containsOnly(clock.millis() - KEPT.toMillis());
        assertThat(store.left).isZero();
        timer.pass(Duration.ofMinutes(61));
        assertThat(store.before).hasSize(4);
    }

    @Test
    void aFailureIsFollowedByAnotherTry() throws Exception {
        store.fails = true;
        retention.start();
        timer.pass(Duration.ofMinutes(1));
        store.fails = false;
        timer.pass(Duration.ofHours(1));

        assertThat(store.before).hasSize(2);
    }

    @Test
    void onlyTheResponsibleNodeDeletesExpiredEntries() throws Exception {
        isMine.set(false);
        retention.start();
        timer.pass(Duration.ofHours(3));
        assertThat(store.before).isEmpty();

        isMine.set(true);
        timer.pass(Duration.ofHours(1));
        assertThat(store.before).hasSize(1);
    }

    @Test
    void nothingIsForgottenAfterItsEnd() throws Exception {
        retention.start();
        retention.close();
        timer.pass(Duration.ofHours(3));

        assertThat(store.before).isEmpty();
        assertThat(timer.waits()).isEmpty();
    }
}
