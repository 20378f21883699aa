package io.cairn.server.http.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.node.ClusterReads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class AttentionTest {

    private static final ReadPool HERE = new ReadPool(Runnable::run);
    private static final Finding PASSWORD = Finding.of(Finding.Kind.PASSWORD_UNCHANGED, false, "nacos", "");
    private static final Finding DATABASE = Finding.of(Finding.Kind.DATABASE_AWAY, true, "database", "refused");
    private static final Finding LIMIT = limit(9);

    private static Finding limit(long used) {
        return new Finding(Finding.Kind.LIMIT_NEAR, false, "connections", "", "cairn.limits", used, 10);
    }

    private static String json(String node, Finding... findings) {
        return JsonBody.ofRows(List.of(findings).stream()
                .map(finding -> ReportedFinding.of(finding, List.of(node)))
                .toList());
    }

    private static Gathered<ReportedFinding> gathered(
            Optional<String> self, ClusterReads.Others others, Finding... own) {
        ClusterReads nodes = new ClusterReads() {
            @Override
            public void answer(String question, Answering answering) {
                assertThat(question).isEqualTo("findings");
            }

            @Override
            public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
                assertThat(parameters).isEqualTo(Map.of("namespace", "dev"));
                return CompletableFuture.completedFuture(others);
            }
        };
        List<FindingSource> sources = List.of(namespace -> List.of(own));
        return new Attention(sources, () -> self, nodes, HERE)
                .findings(Namespace.ofNullable("dev"))
                .toCompletableFuture()
                .join();
    }

    @Test
    void equalFindingsOfSeveralNodesAreOneThatNamesThem() {
        Gathered<ReportedFinding> all = gathered(
                Optional.of("b:1"),
                new ClusterReads.Others(Map.of("a:1", json("a:1", limit(8), DATABASE, PASSWORD)), List.of("c:1")),
                PASSWORD,
                LIMIT);

        assertThat(all.rows())
                .extracting(ReportedFinding::kind, ReportedFinding::used, ReportedFinding::nodes)
                .containsExactly(
                        tuple("DATABASE_AWAY", 0L, List.of("a:1")),
                        tuple("PASSWORD_UNCHANGED", 0L, List.of("a:1", "b:1")),
                        tuple("LIMIT_NEAR", 9L, List.of("b:1")),
                        tuple("LIMIT_NEAR", 8L, List.of("a:1")));
        assertThat(all.silent().addresses()).containsExactly("c:1");
    }

    @Test
    void theSameFindingOfTwoNodesHasTheEarliestTime() {
        Gathered<ReportedFinding> all = gathered(
                Optional.of("b:1"),
                new ClusterReads.Others(Map.of("a:1", json("a:1", unreadable(1_000))), List.of()),
                unreadable(2_000));

        assertThat(all.rows())
                .extracting(ReportedFinding::since, ReportedFinding::nodes)
                .containsExactly(tuple(1_000L, List.of("a:1", "b:1")));
    }

    private static Finding unreadable(long since) {
        return new Finding(Finding.Kind.MESH_RESOURCE_UNREADABLE, false, "a", "CAIRN_XDS", "no", 0, 0, since, "");
    }

    @Test
    void aKindOfALaterReleaseIsReported() {
        String later = json("a:1", DATABASE).replace("DATABASE_AWAY", "OF_A_LATER_RELEASE");

        Gathered<ReportedFinding> all =
                gathered(Optional.of("b:1"), new ClusterReads.Others(Map.of("a:1", later), List.of()));

        assertThat(all.rows()).extracting(ReportedFinding::kind).containsExactly("OF_A_LATER_RELEASE");
        assertThat(all.silent().isNone()).isTrue();
    }

    @Test
    void aSingleServerNamesNoNode() {
        Gathered<ReportedFinding> all = gathered(Optional.empty(), ClusterReads.Others.NONE, PASSWORD, DATABASE);

        assertThat(all.rows()).extracting(ReportedFinding::kind).containsExactly("DATABASE_AWAY", "PASSWORD_UNCHANGED");
        assertThat(JsonBody.ofRows(all.rows())).doesNotContain("nodes", "reason", "since");
    }
}
