package io.cairn.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeftCopiesTest {

    private static final Namespace OTHER = new Namespace("other");
    private static final ServiceKey ORDERS = new ServiceKey(Namespace.DEFAULT, "G", "orders");
    private static final ServiceKey BRIDGE = new ServiceKey(Namespace.DEFAULT, Origin.BRIDGES, "cairn-bridge");
    private static final String TOOK_OVER = "took over the copies of 1 services in namespace public of the target";

    private final ServiceStoreInMemory source = new ServiceStoreInMemory(true);
    private final ServiceStoreInMemory target = new ServiceStoreInMemory(false);
    private final Journal journal = Journal.inMemory();
    private final Queue<String> notices = new ConcurrentLinkedQueue<>();
    private final CountDownLatch hangs = new CountDownLatch(1);
    private LeftCopies left = left(() -> source);

    private LeftCopies left(Supplier<ServiceStore> ofSource) {
        return new LeftCopies(
                Map.of(Side.SOURCE, ofSource, Side.TARGET, () -> target),
                Map.of(Side.SOURCE, "old:8848", Side.TARGET, "new:8848"),
                journal,
                notices::add);
    }

    @AfterEach
    void close() {
        hangs.countDown();
        left.close();
    }

    private void keep(boolean bothWays) {
        left.keep(List.of(Namespace.DEFAULT), bothWays);
    }

    private void end(Namespace... carried) throws InterruptedException {
        left.end(List.of(carried));
    }

    private void leaveACopy() {
        target.mirror(ORDERS, List.of(Instance.of("10.0.0.1", 80)));
    }

    @Test
    void keepsThemAtTheSideThatAnswersAndLaterAtTheOther() throws InterruptedException {
        leaveACopy();
        source.mirror(ORDERS, List.of(Instance.of("10.0.0.2", 80)));
        source.away = true;
        keep(true);
        await().until(() -> notices.contains(TOOK_OVER));
        source.away = false;
        await().until(() -> notices.size() == 2);
        end(Namespace.DEFAULT);
        assertThat(notices).containsExactly(TOOK_OVER, TOOK_OVER.replace("target", "source"));
        assertThat(target.kept).isOne();
        assertThat(target.copies(ORDERS)).hasSize(1);
    }

    @Test
    void doesNotWaitForASideThatHangs() {
        leaveACopy();
        left = left(() -> {
            try {
                hangs.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new SideException("no answer", true, new IllegalStateException());
        });
        keep(true);
        await().until(() -> notices.contains(TOOK_OVER));
    }

    @Test
    void doesNotAskASideThatGetsNoCopies() throws InterruptedException {
        keep(false);
        end(Namespace.DEFAULT);
        assertThat(source.kept).isZero();
        assertThat(target.kept).isOne();
    }

    @Test
    void withdrawsThoseOfANamespaceThatIsNotCarriedAnyMore() throws InterruptedException {
        leaveACopy();
        keep(true);
        end(OTHER);
        assertThat(target.copies(ORDERS)).isEmpty();
    }

    @Test
    void leavesThoseOfAnotherBridge() {
        leaveACopy();
        target.register("b", BRIDGE, Instance.of("127.0.0.1", 1).withMetadata(Map.of("id", "other", "host", "h")));
        source.away = true;
        keep(true);
        assertThatThrownBy(() -> await().until(() -> {
                    left.check();
                    return false;
                }))
                .isInstanceOf(OtherBridgeException.class)
                .hasMessageStartingWith("another bridge works in namespace public of the target: ");
        assertThatThrownBy(() -> end(Namespace.DEFAULT)).isInstanceOf(OtherBridgeException.class);
        assertThat(target.kept).isZero();
    }

    @Test
    void isNotStoppedByItsOwnEarlierProcess() throws InterruptedException {
        leaveACopy();
        target.register("b", BRIDGE, Instance.of("127.0.0.1", 1).withMetadata(Map.of("id", journal.bridge())));
        keep(true);
        end(Namespace.DEFAULT);
        assertThat(target.kept).isOne();
    }

    @Test
    void aRefusalInOneNamespaceLeavesTheOthers() throws InterruptedException {
        leaveACopy();
        target.refusedNamespace = OTHER;
        left.keep(List.of(OTHER, Namespace.DEFAULT), false);
        end(OTHER, Namespace.DEFAULT);
        assertThat(notices)
                .containsExactlyInAnyOrder(
                        TOOK_OVER,
                        "copies of an earlier process in namespace other of the target are not kept: no right");
    }
}
