package io.cairn.server.http.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.config.ReadPool;
import io.cairn.server.node.ClusterReads;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeReadTest {

    private static final ReadPool HERE = new ReadPool(Runnable::run);

    private final OtherNodes others = new OtherNodes();

    record Row(String name, long count, @Nullable Boolean known) {}

    /** Other nodes with fixed answers. */
    private static final class OtherNodes implements ClusterReads {

        private final Map<String, Answering> answering = new HashMap<>();
        private Others others = Others.NONE;
        private Map<String, String> asked = Map.of();

        @Override
        public void answer(String question, Answering how) {
            answering.put(question, how);
        }

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
            asked = parameters;
            return CompletableFuture.completedFuture(others);
        }
    }

    private NodeRead<Row> rows(Row... own) {
        return NodeRead.declare(
                others,
                "rows",
                Row.class,
                parameters -> parameters.containsKey("none") ? List.of() : List.of(own),
                HERE);
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isCompleted();
        return future.join();
    }

    @Test
    void answersOtherNodesInTheirFormat() {
        Row row = new Row("a", 7, null);
        rows(row);

        String json = now(others.answering.get("rows").json(Map.of()));
        others.others = new ClusterReads.Others(Map.of("b:1", json), List.of());
        Gathered<Row> all = now(rows().all(Map.of("x", "y")));

        assertThat(all.rows()).containsExactly(row);
        assertThat(all.silent().isNone()).isTrue();
        assertThat(others.asked).containsExactly(Map.entry("x", "y"));
    }

    @Test
    void rowsOfThisNodeComeFirstAndSilentNodesAreListed() {
        others.others =
                new ClusterReads.Others(Map.of("b:1", "[{\"name\":\"b\",\"count\":2,\"known\":true}]"), List.of("c:1"));

        for (CompletionStage<Gathered<Row>> read : List.of(
                rows(new Row("a", 1, false)).all(Map.of()),
                rows(new Row("a", 1, false)).allOnPool(Map.of()))) {
            assertThat(now(read).rows()).containsExactly(new Row("a", 1, false), new Row("b", 2, true));
            assertThat(now(read).silent().addresses()).containsExactly("c:1");
        }
        assertThat(now(rows(new Row("a", 1, false)).hereOnPool(Map.of())).rows())
                .hasSize(1);
    }

    @Test
    void readsRowsOfReleasesWithMoreAndWithFewerComponents() {
        others.others = new ClusterReads.Others(
                Map.of("b:1", "[{\"name\":\"new\",\"count\":2,\"later\":{\"x\":[1]}},{\"name\":\"old\"}]"), List.of());

        assertThat(now(rows().all(Map.of())).rows()).containsExactly(new Row("new", 2, null), new Row("old", 0, null));
    }

    @Test
    void unreadableAnswerMakesNodeSilent() {
        others.others =
                new ClusterReads.Others(Map.of("b:1", "[{\"name\":\"b\"}", "c:1", "[{\"name\":\"c\"}]"), List.of());

        Gathered<Row> all = now(rows().all(Map.of()));

        assertThat(all.rows()).containsExactly(new Row("c", 0, null));
        assertThat(all.silent().addresses()).containsExactly("b:1");
    }

    @Test
    void aSingleServerAsksNoOther() {
        NodeRead<Row> read = NodeRead.declare(
                ClusterReads.OF_SINGLE_SERVER, "rows", Row.class, asked -> List.of(new Row("a", 1, null)), HERE);

        assertThat(now(read.all(Map.of()))).isEqualTo(Gathered.here(List.of(new Row("a", 1, null))));
    }
}
