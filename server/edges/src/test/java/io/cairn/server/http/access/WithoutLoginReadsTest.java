package io.cairn.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ApiKind;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.auth.RightWanted;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.access.WithoutLoginReads.NodeReport;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.node.ClusterReads;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WithoutLoginReadsTest {

    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(1_000), ZoneOffset.UTC);

    /** Another node that answers as this one does, and a silent one. */
    private static final class SameAnswers implements ClusterReads {

        private Answering answering;

        @Override
        public void answer(String question, Answering how) {
            answering = how;
        }

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
            return answering.json(parameters).thenApply(json -> new Others(Map.of("b:1", json), List.of("c:1")));
        }
    }

    private static void served(ClientsWithoutLogin clients, String address, AtomicBoolean closed) {
        RightWanted wanted = new RightWanted();
        wanted.check(Principal.ANONYMOUS, Action.WRITE, new Namespace("dev"), "g", ResourceType.CONFIG, "orders.yaml");
        clients.served(
                new ClientsWithoutLogin.Client("gRPC", address, "orders", "sdk", "", closed::get),
                Denial.NO_USER,
                wanted);
    }

    @Test
    void gathersTheClientsOfAllNodesAndNamesSilentOnes() {
        ClientsWithoutLogin clients = new ClientsWithoutLogin(true, CLOCK);
        AtomicBoolean closed = new AtomicBoolean();
        served(clients, "10.0.0.1", closed);
        served(clients, "10.0.0.1", closed);
        WithoutLoginReads reads = new WithoutLoginReads(
                clients,
                new AccessPolicy(Set.of(ApiKind.ADMINISTRATION, ApiKind.CONSOLE)),
                () -> "a:1",
                new SameAnswers(),
                new ReadPool(Runnable::run));

        Gathered<NodeReport> all = now(reads.all());

        assertThat(all.rows()).hasSize(2).allSatisfy(report -> {
            assertThat(report.observed()).isTrue();
            assertThat(report.clientsNeedLogin()).isFalse();
            assertThat(report.clients())
                    .containsExactly(new ClientsWithoutLogin.Seen(
                            "10.0.0.1",
                            "orders",
                            "sdk",
                            "gRPC",
                            "dev",
                            "",
                            "login",
                            "w dev:*:config/*",
                            2,
                            1_000,
                            1_000,
                            true));
        });
        assertThat(all.silent().isNone()).isFalse();
        closed.set(true);
        assertThat(clients.list()).singleElement().matches(client -> !client.connected());
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isCompleted();
        return future.join();
    }
}
