package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.SideException;
import io.cairn.testing.Patience;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeasedCopiesTest {

    private static final ServiceKey KEY = new ServiceKey(Namespace.DEFAULT, "G", "orders");
    private static final int RATE = 1_000;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong reconnections = new AtomicLong();
    private final List<String> notices = new ArrayList<>();
    private FakeNacos nacos;
    private LeasedCopies copies;

    @BeforeEach
    void start() throws IOException {
        nacos = new FakeNacos();
        copies = copies(RATE);
    }

    @AfterEach
    void stop() {
        copies.close();
        nacos.close();
    }

    private LeasedCopies copies(int rate) {
        return LeasedCopies.silent(
                nacos.bridge(rate), key -> nacos.shown(), reconnections::get, notices::add, nanos::get);
    }

    private void besideAClient() {
        copies.close();
        copies = LeasedCopies.silent(
                nacos.bridge(RATE),
                key -> List.of(Instance.of("10.0.0.1", 80)),
                reconnections::get,
                notices::add,
                nanos::get);
    }

    private static List<Instance> ports(int... ports) {
        return IntStream.of(ports).mapToObj(FakeNacos::copy).toList();
    }

    private void turn() throws InterruptedException {
        nacos.requests.clear();
        copies.turn();
    }

    @Test
    void aRefusedCopyKeepsNoOtherFromItsPlace() {
        copies.mirror(KEY, ports(80));
        nacos.statuses.put("POST 81", 400);
        assertThatThrownBy(() -> copies.mirror(KEY, ports(80, 81, 82)))
                .isInstanceOfSatisfying(
                        SideException.class, e -> assertThat(e.isTemporary()).isFalse());
        assertThat(nacos.registered).containsExactly(80, 82);
        assertThatThrownBy(() -> copies.mirror(KEY, ports(81, 82))).isInstanceOf(SideException.class);
        assertThat(nacos.registered).containsExactly(82);
        assertThat(copies.mirror(KEY, List.of())).isTrue();
        assertThat(nacos.registered).isEmpty();
    }

    @Test
    void aHeartbeatInFlightBringsNoWithdrawnCopyBack() throws Exception {
        copies.mirror(KEY, ports(80));
        nacos.registered.clear();
        nacos.requests.clear();
        nacos.barrier = new CountDownLatch(1);
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        Thread beat = new Thread(() -> {
            try {
                copies.turn();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        beat.start();
        await().until(() -> nacos.requests.contains("POST 80"));
        Thread withdrawal = new Thread(() -> copies.mirror(KEY, List.of()));
        withdrawal.start();
        await().until(() -> withdrawal.getState() == Thread.State.BLOCKED || !withdrawal.isAlive());
        nacos.barrier.countDown();
        beat.join(Patience.PATIENCE.toMillis());
        withdrawal.join(Patience.PATIENCE.toMillis());
        assertThat(nacos.registered).isEmpty();
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        turn();
        assertThat(nacos.requests).isEmpty();
    }

    @Test
    void registersAgainWhatTheServerHasForgotten() throws Exception {
        copies.mirror(KEY, ports(80, 81));
        turn();
        assertThat(nacos.requests).as("before they are due").isEmpty();
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        nacos.registered.remove(81);
        turn();
        assertThat(nacos.requests).containsExactlyInAnyOrder("PUT 80", "PUT 81", "POST 81");
        reconnections.incrementAndGet();
        nacos.registered.remove(80);
        turn();
        assertThat(nacos.requests).containsExactlyInAnyOrder("PUT 80", "PUT 81", "POST 80");
    }

    @ParameterizedTest
    @CsvSource({"403, refused by the test", "503, refused by the test"})
    void reportsAnOutageOfHeartbeatsOnceAndTriesAgainLater(int status, String reason) throws Exception {
        copies.mirror(KEY, ports(80, 81));
        nacos.status = status;
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        turn();
        assertThat(nacos.requests).isNotEmpty();
        turn();
        assertThat(nacos.requests).as("at once").isEmpty();
        nanos.addAndGet(LeasedCopies.RETRY.toNanos());
        turn();
        assertThat(nacos.requests).contains("PUT 80", "PUT 81");
        assertThat(notices)
                .singleElement()
                .asString()
                .startsWith("heartbeats fail, and copies end 60 s after their last one: " + reason);

        nacos.status = 200;
        nanos.addAndGet(LeasedCopies.RETRY.toNanos());
        turn();
        assertThat(notices).hasSize(2).last().asString().endsWith(" go on");
    }

    @Test
    void heartbeatsTakeHalfOfTheRate() {
        copies.close();
        copies = copies(1);
        assertThat(copies.mirror(KEY, ports(80))).isTrue();
        ServiceKey other = new ServiceKey(Namespace.DEFAULT, "G", "other");
        assertThat(copies.mirror(other, ports(IntStream.range(81, 91).toArray())))
                .as("10 in 20 s beside another one")
                .isFalse();
        assertThat(copies.mirror(KEY, ports(IntStream.range(80, 91).toArray())))
                .as("a service that outgrows the heartbeats")
                .isFalse();
        copies.end(KEY);
        assertThat(nacos.registered).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"403, true", "404, true", "405, true", "410, true", "400, false", "500, false"})
    void theStatusOfTheFirstCopyTellsAServerWithoutThisInterface(int status, boolean isWithout) {
        nacos.status = status;
        if (isWithout) {
            assertThat(copies.mirror(KEY, ports(80))).isFalse();
            assertThat(notices)
                    .singleElement()
                    .asString()
                    .contains("does not take copies over HTTP (status " + status + ")");
        } else {
            assertThatThrownBy(() -> copies.mirror(KEY, ports(80))).isInstanceOf(SideException.class);
            assertThat(notices).isEmpty();
        }
        nacos.status = 200;
        assertThat(copies.mirror(KEY, ports(80))).isEqualTo(!isWithout);
    }

    @Test
    void withdrawsWhatTheListDoesNotShowYetAndRepeatsAFailedWithdrawal() throws Exception {
        copies.close();
        copies =
                LeasedCopies.silent(nacos.bridge(RATE), key -> List.of(), reconnections::get, notices::add, nanos::get);
        copies.mirror(KEY, ports(80));
        nacos.statuses.put("DELETE 80", 500);
        assertThatThrownBy(() -> copies.mirror(KEY, List.of())).isInstanceOf(SideException.class);
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        turn();
        assertThat(nacos.requests).as("heartbeats of a copy that leaves").isEmpty();
        nacos.statuses.clear();
        copies.mirror(KEY, List.of());
        assertThat(nacos.registered).isEmpty();
    }

    @Test
    void leavesTheInstanceOfAClientInPlaceOfACopy() {
        besideAClient();
        copies.mirror(KEY, ports(80));
        copies.mirror(KEY, List.of());
        assertThat(nacos.registered).containsExactly(80);
    }

    private void withNacos1(int rate) {
        copies.close();
        nacos.bodies.put("/v1/console/server/state", "{\"version\":\"1.4.2\"}");
        copies = copies(rate);
    }

    @Test
    void aNacos1GetsAHeartbeatAfterEachRegistrationAndForgetsTheHealthBefore() throws Exception {
        withNacos1(RATE);
        copies.mirror(KEY, ports(80));
        turn();
        assertThat(nacos.requests).containsExactly("PUT 80");
        nacos.requests.clear();
        copies.mirror(KEY, List.of(FakeNacos.copy(80).withHealthy(false)));
        assertThat(nacos.requests).containsExactly("DELETE 80", "POST 80");
        nacos.requests.clear();
        copies.mirror(KEY, ports(80));
        assertThat(nacos.requests).containsExactly("POST 80");
        turn();
        assertThat(nacos.requests).containsExactly("PUT 80");
    }

    @Test
    void anUnhealthyCopyAtANacos1IsRegisteredAtTheRateOfHeartbeats() throws Exception {
        withNacos1(RATE);
        copies.mirror(KEY, List.of(FakeNacos.copy(80).withHealthy(false)));
        turn();
        assertThat(nacos.requests).isEmpty();
        nanos.addAndGet(LeasedCopies.BEAT.toNanos());
        turn();
        assertThat(nacos.requests).containsExactly("POST 80");
        turn();
        assertThat(nacos.requests).isEmpty();
    }

    @Test
    void aChangedCopyIsTakenAtTheLimit() {
        withNacos1(1);
        copies.adopt(
                new ServiceKey(Namespace.DEFAULT, "G", "others"),
                ports(IntStream.range(1, 20).toArray()));
        copies.adopt(KEY, ports(80));
        assertThat(copies.mirror(KEY, List.of(FakeNacos.copy(80).withWeight(3))))
                .isTrue();
        assertThat(copies.mirror(KEY, ports(80, 81))).isFalse();
        assertThat(nacos.registered).containsExactly(80);
    }

    @Test
    void adoptedCopiesOfAServerThatRefusesThemGoToTheConnection() {
        nacos.status = 403;
        copies.adopt(KEY, ports(80));
        assertThat(copies.mirror(KEY, ports(80))).isFalse();
        copies.end(KEY);
        assertThat(nacos.requests).containsExactly("PUT 80", "POST 80");
    }

    @Test
    void aNacos1ThatRefusesACopyIsAskedAgain() {
        withNacos1(RATE);
        nacos.status = 403;
        assertThatThrownBy(() -> copies.mirror(KEY, ports(80)))
                .isInstanceOf(SideException.class)
                .hasMessageContaining("refused by the test");
        assertThat(notices).isEmpty();
        nacos.status = 200;
        assertThat(copies.mirror(KEY, ports(80))).isTrue();
        assertThat(nacos.registered).containsExactly(80);
    }

    @Test
    void copiesThatAreGoneEndAlsoAtTheLimit() {
        withNacos1(1);
        nacos.registered.addAll(List.of(1, 2, 3));
        copies.adopt(KEY, ports(1, 2, 3));
        int[] many = IntStream.rangeClosed(3, 20).toArray();
        assertThat(copies.mirror(KEY, ports(many))).isFalse();
        assertThat(nacos.registered).containsExactly(3);
    }

    @Test
    void copiesOfAnEarlierProcessGetHeartbeatsUntilTheyAreMirrored() throws Exception {
        nacos.registered.addAll(List.of(80, 81));
        Map<String, String> metadata = new HashMap<>(FakeNacos.copy(80).metadata());
        metadata.put("preserved.heart.beat.timeout", "60000");
        metadata.put("preserved.ip.delete.timeout", "60000");
        List<Instance> left = LeasedCopies.asRegistered(List.of(
                FakeNacos.copy(80).withMetadata(metadata), FakeNacos.copy(81).withMetadata(metadata)));
        assertThat(left).isEqualTo(ports(80, 81));
        copies.adopt(KEY, left);
        turn();
        assertThat(nacos.requests).containsExactlyInAnyOrder("PUT 80", "PUT 81");
        nacos.requests.clear();
        copies.mirror(KEY, ports(80));
        assertThat(nacos.requests).containsExactly("DELETE 81", "PUT 80");
        nacos.requests.clear();
        copies.mirror(KEY, ports(80));
        assertThat(nacos.requests).isEmpty();
    }

    @Test
    void registersNoCopyOverTheInstanceOfAClient() throws Exception {
        withNacos1(RATE);
        besideAClient();
        assertThat(copies.mirror(KEY, ports(80, 81))).isTrue();
        assertThat(nacos.requests).containsExactly("POST 81");
        nacos.registered.add(80);
        nacos.requests.clear();
        copies.adopt(KEY, ports(80));
        copies.mirror(KEY, ports(80, 81));
        assertThat(nacos.requests).containsExactly("PUT 80");
    }

    @Test
    void theOwnInstanceOfABridgeIsNotTakenForThatOfAClient() {
        ServiceKey bridges = new ServiceKey(Namespace.DEFAULT, Origin.BRIDGES, "cairn-bridge");
        Instance own = Instance.of("10.0.0.1", 80);
        LeasedCopies presence = LeasedCopies.silent(
                nacos.bridge(RATE), key -> List.of(own), reconnections::get, notices::add, nanos::get);
        presence.mirror(bridges, List.of(own));
        presence.mirror(bridges, List.of());
        presence.close();
        assertThat(nacos.registered).isEmpty();
    }
}
