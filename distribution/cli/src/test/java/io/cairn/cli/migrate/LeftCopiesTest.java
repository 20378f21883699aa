package io.cairn.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LeftCopiesTest {

    private static final ServiceKey ORDERS = new ServiceKey(Namespace.DEFAULT, "G", "orders");
    private static final ServiceKey BRIDGE = new ServiceKey(Namespace.DEFAULT, Origin.BRIDGES, "cairn-bridge");

    private final ServiceStoreInMemory source = new ServiceStoreInMemory(true);
    private final ServiceStoreInMemory target = new ServiceStoreInMemory(false);
    private final Journal journal = Journal.inMemory();
    private final List<String> notices = new ArrayList<>();

    private LeftCopies left(Supplier<ServiceStore> ofSource, boolean bothWays) {
        return new LeftCopies(
                Map.of(Side.SOURCE, ofSource, Side.TARGET, () -> target),
                Map.of(Side.SOURCE, "old:8848", Side.TARGET, "new:8848"),
                bothWays,
                journal,
                notices::add);
    }

    private static void keep(LeftCopies left) throws InterruptedException {
        left.keep(List.of(Namespace.DEFAULT));
    }

    private void leaveACopy() {
        target.mirror(ORDERS, List.of(Instance.of("10.0.0.1", 80)));
    }

    @Test
    void keepsThemAtTheSideThatAnswersAndLaterAtTheOther() throws InterruptedException {
        leaveACopy();
        source.away = true;
        LeftCopies left = left(() -> source, true);
        keep(left);
        assertThat(target.kept).isOne();
        assertThat(notices).containsExactly("took over 1 copies at the target");

        source.away = false;
        keep(left);
        keep(left);
        assertThat(source.kept).isOne();
        assertThat(target.kept).isOne();
    }

    @Test
    void doesNotWaitForASideThatHangs() throws InterruptedException {
        leaveACopy();
        CountDownLatch hangs = new CountDownLatch(1);
        LeftCopies left = left(
                () -> {
                    try {
                        hangs.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    throw new SideException("no answer", true, new IllegalStateException());
                },
                true);
        target.whenKept = hangs::countDown;
        keep(left);
        assertThat(notices).containsExactly("took over 1 copies at the target");
    }

    @Test
    void doesNotAskASideThatGetsNoCopies() throws InterruptedException {
        keep(left(() -> source, false));
        assertThat(source.kept).isZero();
        assertThat(target.kept).isOne();
    }

    @Test
    void leavesThoseOfAnotherBridge() {
        leaveACopy();
        target.register("b", BRIDGE, Instance.of("127.0.0.1", 1).withMetadata(Map.of("id", "other", "host", "h")));
        assertThatThrownBy(() -> keep(left(() -> source, true)))
                .isInstanceOf(OtherBridgeException.class)
                .hasMessageStartingWith("another bridge works in namespace public of the target: ");
        assertThat(target.kept).isZero();
    }

    @Test
    void isNotStoppedByItsOwnEarlierProcess() throws InterruptedException {
        leaveACopy();
        target.register("b", BRIDGE, Instance.of("127.0.0.1", 1).withMetadata(Map.of("id", journal.bridge())));
        keep(left(() -> source, true));
        assertThat(target.kept).isOne();
    }

    @Test
    void aRefusalIsToldOnce() throws InterruptedException {
        LeftCopies left = left(
                () -> {
                    throw new SideException("no right", false, new IllegalStateException());
                },
                true);
        keep(left);
        keep(left);
        assertThat(notices).containsExactly("copies of an earlier process at the source are not kept: no right");
    }
}
