package io.cairn.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.client.connection.ServerAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerListTest {

    private static final CairnException WHY = new CairnException(ErrorCode.UNAVAILABLE, "refused");
    private static final ServerAddress A = server("10.0.0.1");
    private static final ServerAddress B = server("10.0.0.2");
    private static final ServerAddress C = server("10.0.0.3");

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000);

    private static ServerAddress server(String host) {
        return new ServerAddress(host, 8848, 9848, false);
    }

    private ServerList list(int seed, ServerAddress... servers) {
        return new ServerList(List.of(servers), new Random(seed), now::get);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void eachAddressBacksOffByItself() {
        ServerList list = list(1, A, B, C);

        list.failed(A, WHY);

        assertThat(list.due()).containsExactlyInAnyOrder(B, C);
        assertThat(list.untilDue()).isZero();
        assertThat(list.failures()).isEmpty();
        pass(Duration.ofMillis(100));
        assertThat(list.due()).containsExactlyInAnyOrder(A, B, C);
        list.failed(A, WHY);
        pass(Duration.ofMillis(99));
        assertThat(list.due()).as("the second pause is longer").doesNotContain(A);
        pass(Duration.ofMillis(101));
        assertThat(list.due()).contains(A);
    }

    @Test
    void whenAllBackOffItIsKnownForHowLongAndWhy() {
        ServerList list = list(1, A, B);
        list.failed(A, WHY);
        list.failed(A, WHY);
        list.failed(B, WHY);

        assertThat(list.due()).isEmpty();
        assertThat(list.untilDue()).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        assertThat(list.failures()).hasSize(2);
        pass(list.untilDue());
        assertThat(list.due()).containsExactly(B);
        list.use(B);
        assertThat(list.failures()).as("one of them is in use").isEmpty();
    }

    @Test
    void backsOffOnlyFromAServerThatDroppedAConnectionBeforeServing() {
        ServerList list = list(1, A, B);
        list.use(A);
        list.lost(A, false);
        assertThat(list.due()).containsExactly(B);

        list.use(B);
        list.lost(B, true);
        assertThat(list.due()).containsExactly(B);
        pass(Duration.ofMillis(100));
        assertThat(list.due()).containsExactlyInAnyOrder(A, B);
    }

    @Test
    void theClientsOfAServerThatEndsAreSpreadOverTheOthers() {
        Map<ServerAddress, Integer> next = new HashMap<>();
        for (int client = 0; client < 300; client++) {
            ServerList list = list(client, A, B, C);
            list.use(A);
            next.merge(list.due().get(0), 1, Integer::sum);
            assertThat(list.due().get(2)).as("the one that was lost comes last").isEqualTo(A);
        }
        assertThat(next).containsOnlyKeys(B, C);
        assertThat(next.values()).allMatch(clients -> clients > 100);
    }

    @Test
    void aMoveGoesToTheNamedServerFirstAndNeverToTheOneThatIsLeft() {
        ServerList list = list(1, A, B, C);
        list.use(A);
        list.failed(C, WHY);

        assertThat(list.forMove(A, "10.0.0.3", "8848"))
                .as("named, so it need not be due")
                .containsExactly(C, B);
        assertThat(list.forMove(A, "10.0.0.3", "8849"))
                .as("another server of that host")
                .containsExactly(B);
        assertThat(list.forMove(A, "10.9.9.9", "8848")).as("not in the list").containsExactly(B);
        assertThat(list.forMove(A, null, null)).containsExactly(B);
        assertThat(list.forMove(A, "10.0.0.1", "8848")).as("itself").containsExactly(B);
    }

    @Test
    void findsServerByAddressThatIsListedByName() {
        ServerAddress named = server("localhost");
        ServerList list = list(1, A, named, B);

        assertThat(list.forMove(A, "127.0.0.1", "8848").get(0)).isEqualTo(named);
    }

    @Test
    void aListOfOneLeadsToTheSameAddress() {
        assertThat(list(1, A).forMove(A, "10.0.0.2", "8848")).containsExactly(A);
    }

    @Test
    void aNewListTakesThePlaceOfTheOldOne() {
        ServerList list = list(1, A, B);
        list.use(A);
        list.failed(B, WHY);

        assertThat(list.replace(List.of(A, B))).isFalse();
        assertThat(list.replace(List.of(B, C))).isTrue();

        assertThat(list.all()).containsExactly(B, C);
        assertThat(list.due()).as("a server that stays goes on backing off").containsExactly(C);
        assertThat(list.forMove(A, null, null)).containsExactly(C);
        assertThat(list.replace(List.of())).isTrue();
        assertThat(list.due()).isEmpty();
        assertThat(list.untilDue()).isZero();
    }
}
