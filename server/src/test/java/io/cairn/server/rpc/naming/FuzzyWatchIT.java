package io.cairn.server.rpc.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.NamingClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Watches of services by pattern, as far as the recorded flows do not cover them. */
class FuzzyWatchIT {

    private static final String PATTERN = "public>>DEFAULT_GROUP>>fz-*";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("nacos.naming.clean.empty-service.expired-time", "100")
            // Long enough for a client that acknowledges on a busy machine.
            .with("nacos.naming.push.pushTaskTimeout", Long.toString(PATIENCE.toMillis()))
            .with("nacos.naming.fuzzy.watch.max.pattern.count", "3")
            .with("nacos.naming.fuzzy.watch.max.pattern.match.service.count", "120");

    @RegisterExtension
    static final CairnExtension repeating = CairnExtension.temporary()
            // Long enough for what the test does before the first repetition.
            .with("nacos.naming.push.pushTaskTimeout", "8000")
            .with("nacos.naming.push.pushTaskRetryDelay", "100");

    private final Gauge watches = new Gauge(cairn, "cairn.naming.fuzzy.watches");
    private NamingClient publisher;
    private FuzzyClient client;

    @BeforeEach
    void connect() {
        publisher = NamingClient.connect(cairn);
        client = new FuzzyClient(cairn, List.of());
    }

    @AfterEach
    void disconnect() {
        publisher.close();
        client.close();
        watches.awaitValue(0);
        new Gauge(cairn, "cairn.naming.instances").awaitValue(0);
    }

    private void register(int from, int to) {
        for (int i = from; i <= to; i++) {
            publisher.register("fz-" + i, "10.0.0.1:1");
        }
    }

    private void begin() {
        client.watch(PATTERN, true);
        assertThat(client.next()).isEqualTo("FINISH");
    }

    @Test
    void sendsAllMatchesInBatchesOfTenAndTheirEnd() {
        register(1, 25);
        publisher.register("other", "10.0.0.1:1");

        assertThat(client.watch(PATTERN, true).path("success").asBoolean()).isTrue();

        assertThat(client.next()).startsWith("INIT 1/3 +").hasSizeGreaterThan(9 + 10 * 5);
        assertThat(client.next()).startsWith("INIT 2/3 +");
        assertThat(client.next()).startsWith("INIT 3/3 +");
        assertThat(client.next()).isEqualTo("FINISH");
        assertThat(client.known()).hasSize(25).contains("public@@DEFAULT_GROUP@@fz-25");
    }

    @Test
    void thePatternOfTheNamingClientForAWholeGroupMeansAnyService() {
        register(1, 2);

        client.watch("public>>DEFAULT_GROUP>>.*", true);

        assertThat(client.next()).isEqualTo("INIT 1/1 +fz-1 +fz-2");
        assertThat(client.next()).isEqualTo("FINISH");
    }

    @Test
    void aServiceMatchesFromItsFirstToItsLastInstance() {
        begin();
        try (NamingClient other = NamingClient.connect(cairn)) {
            publisher.register("fz-1", "10.0.0.1:1");
            assertThat(client.next()).isEqualTo("+fz-1");

            other.register("fz-1", "10.0.0.2:1");
            publisher.register("fz-1", "10.0.0.1:2");
            publisher.deregister("fz-1", "10.0.0.1:2");
            publisher.register("fz-2", "10.0.0.1:1");
            assertThat(client.next()).as("no event before").isEqualTo("+fz-2");
        }
        assertThat(client.next()).as("with its connection").isEqualTo("-fz-1");
        publisher.register("fz-1", "10.0.0.1:1");
        assertThat(client.next()).isEqualTo("+fz-1");
    }

    @Test
    void sendsTheDifferencesAfterAReconnect() {
        register(1, 3);
        client.watch(PATTERN, true);
        assertThat(client.next()).isEqualTo("INIT 1/1 +fz-1 +fz-2 +fz-3");
        assertThat(client.next()).isEqualTo("FINISH");
        Set<String> known = client.known();
        client.close();
        publisher.deregister("fz-2", "10.0.0.1:1");
        register(4, 4);

        try (FuzzyClient again = new FuzzyClient(cairn, known)) {
            again.watch(PATTERN, false);
            assertThat(again.next()).isEqualTo("DIFF 1/1 -fz-2 +fz-4");
            register(5, 5);
            assertThat(again.next()).as("no end is sent").isEqualTo("+fz-5");
        }
    }

    @Test
    void sendsNothingAfterACancel() {
        begin();
        client.watch("public>>*>>*-1", false);

        assertThat(client.cancel(PATTERN).path("success").asBoolean()).isTrue();
        register(2, 2);
        register(1, 1);

        assertThat(client.next()).isEqualTo("+fz-1");
    }

    @Test
    void repeatsUnacknowledgedPushesWithTheNewestState() {
        try (NamingClient services = NamingClient.connect(repeating);
                FuzzyClient silent = new FuzzyClient(repeating, List.of())) {
            services.register("fz-1", "10.0.0.1:1");
            services.register("fz-2", "10.0.0.1:1");
            silent.wire().acknowledge(push -> false);
            silent.watch(PATTERN, true);
            String batch = silent.next();
            assertThat(batch).isEqualTo("INIT 1/1 +fz-1 +fz-2");

            services.deregister("fz-1", "10.0.0.1:1");
            services.register("fz-3", "10.0.0.1:1");
            assertThat(silent.next()).as("not of the batch").isEqualTo("+fz-3");
            services.deregister("fz-3", "10.0.0.1:1");
            assertThat(silent.next()).as("in the place of the older one").isEqualTo("-fz-3");

            List<String> repeated = List.of(silent.next(), silent.next());
            assertThat(repeated).containsExactlyInAnyOrder(batch, "-fz-3");
            silent.wire().acknowledge(push -> true);

            await().untilAsserted(() -> assertThat(silent.known()).containsExactly("public@@DEFAULT_GROUP@@fz-2"));
        }
    }

    @Test
    void refusesPatternsOverTheLimit() {
        client.watch("public>>a>>*", false);
        client.watch("public>>b>>*", false);
        client.watch("public>>c>>*", false);
        assertThat(client.watch("public>>a>>*", false).path("success").asBoolean())
                .isTrue();

        JsonNode refused = client.watch("public>>d>>*", false);
        assertThat(refused.path("resultCode").asInt()).isEqualTo(500);
        assertThat(refused.path("errorCode").asInt()).isEqualTo(50310);
        assertThat(refused.path("message").asString()).isEqualTo("fuzzy watch pattern over limit");

        client.cancel("public>>a>>*");
        assertThat(client.watch("public>>d>>*", false).path("success").asBoolean())
                .isTrue();
    }

    @Test
    void sendsMatchesOverTheLimitOnceOthersAreRemoved() {
        register(1, 130);

        JsonNode limited = client.watch(PATTERN, true);
        assertThat(limited.path("errorCode").asInt()).isEqualTo(50311);
        assertThat(limited.path("message").asString()).isEqualTo("fuzzy watch pattern matched count over limit");
        await().untilAsserted(() -> assertThat(client.known()).hasSize(120));

        List<String> told = new ArrayList<>(client.known());
        for (int i = 0; i < 15; i++) {
            publisher.deregister(told.get(i).substring(told.get(i).lastIndexOf('@') + 1), "10.0.0.1:1");
        }
        await().untilAsserted(
                        () -> assertThat(client.known()).hasSize(115).doesNotContainAnyElementsOf(told.subList(0, 15)));
    }

    @Test
    void refusesAnInvalidPattern() {
        JsonNode refused = client.watch("fz-*", true);

        assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
        assertThat(refused.path("message").asString())
                .isEqualTo("groupKeyPattern: 'fz-*' (expected: <namespace>>><group pattern>>><name pattern>)");
    }

    @Test
    void aClosedConnectionLeavesNoWatches() {
        begin();
        watches.awaitValue(1);

        client.close();

        watches.awaitValue(0);
    }

    @Test
    void allWatchersEndWithTheSameMatches() throws Exception {
        int services = 100;
        List<NamingClient> publishers = new ArrayList<>();
        List<FuzzyClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            publishers.add(NamingClient.connect(cairn));
            clients.add(new FuzzyClient(cairn, List.of()));
            clients.get(i).watch(PATTERN, true);
        }
        Random random = new Random(1);
        List<Set<Integer>> published = new ArrayList<>();
        publishers.forEach(each -> published.add(new TreeSet<>()));
        for (int round = 0; round < 1_500; round++) {
            int who = random.nextInt(publishers.size());
            int number = random.nextInt(services);
            if (published.get(who).remove(number)) {
                publishers.get(who).deregister("fz-" + number, "10.0.0.1:1");
            } else {
                published.get(who).add(number);
                publishers.get(who).register("fz-" + number, "10.0.0." + who + ":1");
            }
            if (round % 60 == 0) {
                FuzzyClient leaving = clients.remove(0);
                Set<String> known = leaving.known();
                leaving.close();
                FuzzyClient coming = new FuzzyClient(cairn, known);
                coming.watch(PATTERN, random.nextBoolean());
                clients.add(coming);
            }
            if (round % 250 == 0) {
                publishers.get(who).close();
                publishers.set(who, NamingClient.connect(cairn));
                published.get(who).clear();
            }
        }
        Set<String> present = new TreeSet<>();
        published.forEach(each -> each.forEach(number -> present.add("public@@DEFAULT_GROUP@@fz-" + number)));

        for (FuzzyClient each : clients) {
            await().untilAsserted(() -> assertThat(each.known()).isEqualTo(present));
        }
        clients.forEach(FuzzyClient::close);
        publishers.forEach(NamingClient::close);
    }
}
