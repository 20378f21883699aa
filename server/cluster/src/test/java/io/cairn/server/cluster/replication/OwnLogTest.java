package io.cairn.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.testing.SettableClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OwnLogTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "orders");
    private static final InstanceKey INSTANCE = new InstanceKey("10.1.0.7", 8080, "DEFAULT");

    private final AtomicLong nanos = new AtomicLong();
    private final RecentDeregistrations deregistrations = new RecentDeregistrations(nanos::get);
    private final OwnLog log = new OwnLog(new ClusterClock(new SettableClock()), nanos::get, deregistrations);

    private List<String> after(long cursor) {
        return log.after(cursor, 100).entries().stream()
                .map(change -> change.sequence() + " " + change.state() + " "
                        + (change.subject() instanceof OwnLog.Subject.Publication publication
                                ? publication.publisherId()
                                : change.subject().getClass().getSimpleName()))
                .toList();
    }

    @Test
    void keepsLatestChangeOfEachPublicationInOrder() {
        log.published("a", SERVICE);
        log.published("b", SERVICE);
        log.published("a", SERVICE);
        log.checked(SERVICE, INSTANCE, false);
        assertThat(after(0)).containsExactly("2 PUBLISHED b", "3 PUBLISHED a", "4 UNHEALTHY Check");
        assertThat(after(3)).containsExactly("4 UNHEALTHY Check");
        assertThat(log.summary().sequence()).isEqualTo(4);
        assertThat(log.summary().count()).isEqualTo(3);
    }

    @Test
    void keepsTombstonesOfEndedEntries() {
        log.published("a", SERVICE);
        log.published("b", SERVICE);
        log.withdrawn("a", SERVICE);
        log.moved("b", SERVICE, "10.0.0.2:8848");
        log.forgotten(SERVICE, INSTANCE);
        assertThat(after(0)).containsExactly("3 GONE a", "4 MOVED b", "5 GONE Deregistration");
        assertThat(log.after(0, 100).entries().get(1).movedTo()).isEqualTo("10.0.0.2:8848");
        assertThat(log.summary()).isEqualTo(new OwnLog.Summary(5, 0, 0));
        assertThat(deregistrations.of(SERVICE)).hasSize(1);
    }

    @Test
    void recordsNoEndOfUnpublishedEntries() {
        log.withdrawn("a", SERVICE);
        log.moved("a", SERVICE, "10.0.0.2:8848");
        log.unchecked(SERVICE, INSTANCE);
        assertThat(log.sequence()).isZero();
        log.published("a", SERVICE);
        log.withdrawn("a", SERVICE);
        log.withdrawn("a", SERVICE);
        assertThat(log.sequence()).isEqualTo(2);
    }

    @Test
    void digestDependsOnTheStateAlone() {
        log.published("a", SERVICE);
        long one = log.summary().digest();
        log.published("b", SERVICE);
        assertThat(log.summary().digest()).isNotEqualTo(one).isNotZero();
        log.withdrawn("b", SERVICE);
        assertThat(log.summary().digest()).isEqualTo(one);
    }

    @Test
    void dropsTombstonesAfterTenMinutes() {
        log.published("a", SERVICE);
        log.published("b", SERVICE);
        log.withdrawn("a", SERVICE);
        nanos.addAndGet(OwnLog.TOMBSTONE_AGE.toNanos());
        assertThat(log.after(0, 100).endsSince()).isZero();
        nanos.addAndGet(1);
        assertThat(log.after(0, 100).endsSince()).isEqualTo(3);
        assertThat(after(0)).containsExactly("2 PUBLISHED b");
    }

    @Test
    void keepsAtMostHundredThousandTombstones() {
        for (int i = 0; i < OwnLog.MAX_TOMBSTONES + 5; i++) {
            log.published("p" + i, SERVICE);
            log.withdrawn("p" + i, SERVICE);
        }
        assertThat(log.tombstones()).isEqualTo(OwnLog.MAX_TOMBSTONES);
        assertThat(log.after(0, 1).endsSince()).isEqualTo(10);
        assertThat(after(10).get(0)).isEqualTo("12 GONE p5");
    }

    @Test
    void publicationThatIsBackHasNoTombstone() {
        log.published("a", SERVICE);
        log.withdrawn("a", SERVICE);
        log.published("a", SERVICE);
        nanos.addAndGet(OwnLog.TOMBSTONE_AGE.toNanos() + 1);
        assertThat(log.after(0, 100).endsSince()).isZero();
        assertThat(after(0)).containsExactly("3 PUBLISHED a");
    }

    @Test
    void readsInBatchesTheSameAsAPlainMap() {
        Random random = new Random(5);
        Map<String, Long> expected = new HashMap<>();
        long cursor = 0;
        Map<String, Long> followed = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String id = "p" + random.nextInt(300);
            log.published(id, SERVICE);
            expected.put(id, log.sequence());
            if (random.nextInt(50) == 0) {
                OwnLog.Changes changes = log.after(cursor, 7);
                long before = cursor;
                for (OwnLog.Change change : changes.entries()) {
                    assertThat(change.sequence()).isGreaterThan(before);
                    before = change.sequence();
                    followed.put(((OwnLog.Subject.Publication) change.subject()).publisherId(), change.sequence());
                }
                cursor = changes.to();
            }
        }
        boolean all = false;
        while (!all) {
            OwnLog.Changes changes = log.after(cursor, 7);
            changes.entries()
                    .forEach(change -> followed.put(
                            ((OwnLog.Subject.Publication) change.subject()).publisherId(), change.sequence()));
            cursor = changes.to();
            all = changes.isAll();
        }
        assertThat(followed).isEqualTo(expected);
    }

    @Test
    void wakesFollowersOfEachChange() {
        AtomicInteger woken = new AtomicInteger();
        Runnable follower = woken::incrementAndGet;
        log.follow(follower);
        log.published("a", SERVICE);
        log.withdrawn("unknown", SERVICE);
        log.unfollow(follower);
        log.published("b", SERVICE);
        assertThat(woken).hasValue(1);
    }
}
