package io.cairn.server.naming.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClientOwnershipTest {

    private static final int CLIENTS = 30_000;
    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final List<String> THREE = List.of("10.0.0.1:8848", "10.0.0.2:8848", "10.0.0.3:8848");

    @Test
    void aloneANodeHasThemAll() {
        ClientOwnership ownership = new ClientOwnership("10.0.0.1:8848");

        assertThat(ownership.ownerOf("10.1.1.1:80#true")).isEqualTo("10.0.0.1:8848");
        assertThat(ownership.isOwn("10.1.1.1:80#true")).isTrue();
    }

    @Test
    void ownersDoNotDependOnTheOrderOfDiscovery() {
        ClientOwnership one = of("10.0.0.1:8848", THREE);
        ClientOwnership other = of("10.0.0.3:8848", List.of("10.0.0.2:8848", "10.0.0.1:8848"));

        for (String client : clients()) {
            String owner = one.ownerOf(client);
            assertThat(other.ownerOf(client)).isEqualTo(owner);
            assertThat(one.isOwn(client)).isEqualTo(owner.equals("10.0.0.1:8848"));
            assertThat(other.isOwn(client)).isEqualTo(owner.equals("10.0.0.3:8848"));
        }
    }

    @Test
    void theClientsAreSharedEvenly() {
        Map<String, Integer> shares = new HashMap<>();
        ClientOwnership ownership = of("10.0.0.1:8848", THREE);
        for (String client : clients()) {
            shares.merge(ownership.ownerOf(client), 1, Integer::sum);
        }

        assertThat(shares).hasSize(3);
        // Far wider than chance would have it, far narrower than a hash that does not mix.
        assertThat(shares.values()).allSatisfy(share -> assertThat(share).isBetween(9_500, 10_500));
    }

    @Test
    void departureMovesOnlyTheClientsOfTheDepartedNode() {
        ClientOwnership three = of("10.0.0.1:8848", THREE);
        ClientOwnership two = of("10.0.0.1:8848", THREE.subList(0, 2));
        int moved = 0;
        for (String client : clients()) {
            String before = three.ownerOf(client);
            String after = two.ownerOf(client);
            if (before.equals("10.0.0.3:8848")) {
                moved++;
                assertThat(after).isNotEqualTo(before);
            } else {
                assertThat(after).isEqualTo(before);
            }
        }
        assertThat(moved).isBetween(9_500, 10_500);
    }

    @Test
    void membershipContainsTheNodeItselfEvenIfTheListOmitsIt() {
        ClientOwnership ownership = of("10.0.0.9:8848", THREE);

        assertThat(clients().stream().anyMatch(ownership::isOwn)).isTrue();
    }

    @Test
    void nodeThatIsNoOwnerHasNoClientsAndNoChecks() {
        ClientOwnership ownership = new ClientOwnership("10.0.0.9:8848");
        ownership.ownersAre(THREE);
        assertThat(clients()).noneMatch(ownership::isOwn);
        assertThat(checks()).noneMatch(check -> ownership.isOwnCheck(SERVICE, check));

        ownership.ownersAre(THREE.subList(0, 1));
        assertThat(clients()).allMatch(client -> ownership.ownerOf(client).equals("10.0.0.1:8848"));
        assertThat(clients()).noneMatch(ownership::isOwn);

        ownership.ownersAre(List.of());
        assertThat(clients()).allMatch(ownership::isOwn);
        assertThat(checks()).allMatch(check -> ownership.isOwnCheck(SERVICE, check));
    }

    @Test
    void eachCheckIsDoneByOneNodeAndTheyAreSharedEvenly() {
        List<ClientOwnership> nodes =
                THREE.stream().map(address -> of(address, THREE)).toList();
        int[] shares = new int[3];
        for (InstanceKey check : checks()) {
            List<Integer> owners = IntStream.range(0, 3)
                    .filter(i -> nodes.get(i).isOwnCheck(SERVICE, check))
                    .boxed()
                    .toList();
            assertThat(owners).hasSize(1);
            shares[owners.get(0)]++;
        }
        assertThat(IntStream.of(shares).boxed().toList())
                .allSatisfy(share -> assertThat(share).isBetween(9_500, 10_500));
    }

    private static List<InstanceKey> checks() {
        return IntStream.range(0, CLIENTS)
                .mapToObj(i -> new InstanceKey("10.1." + i / 250 + '.' + i % 250, 80, "DEFAULT"))
                .toList();
    }

    private static ClientOwnership of(String self, List<String> members) {
        ClientOwnership ownership = new ClientOwnership(self);
        ownership.membersAre(members);
        return ownership;
    }

    private static List<String> clients() {
        List<String> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add("10." + i / 65536 + '.' + i / 256 % 256 + '.' + i % 256 + ":8080#true");
        }
        return clients;
    }
}
