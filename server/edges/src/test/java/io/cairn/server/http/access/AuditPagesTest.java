package io.cairn.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.TokenActions.RecordsQuery;
import io.cairn.server.http.envelope.Envelope;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AuditPagesTest {

    private static final AuditStore.Query ALL = new AuditStore.Query(null, null, null, null, 0, Long.MAX_VALUE);
    private static final Envelope ENVELOPE = new Envelope(answer -> answer);

    private final Records store = new Records();
    private final TokenActions actions = new TokenActions(null, store, null, Runnable::run);
    private final HttpRequest http =
            HttpRequest.to("GET", "/audit", name -> null, new byte[0], "127.0.0.1", Runnable::run);

    /** Records whose ids are their numbers; one is added with each read. */
    private static final class Records implements AuditStore {

        private long count;

        @Override
        public long count(Query query) {
            return count;
        }

        @Override
        public List<AuditRecord> find(Query query, long offset, int limit) {
            return findBefore(query, count + 1 - offset, limit);
        }

        @Override
        public List<AuditRecord> findBefore(Query query, long id, int limit) {
            List<AuditRecord> found = LongStream.iterate(id - 1, number -> number > 0, number -> number - 1)
                    .limit(limit)
                    .mapToObj(Records::entry)
                    .toList();
            count++;
            return found;
        }

        private static AuditRecord entry(long id) {
            return new AuditRecord(id, id, "anna", "USER", "10.0.0.9", "a.b", "t", null, null, null, null);
        }

        @Override
        public CompletionStage<Void> append(AuditRecord entry) {
            throw new UnsupportedOperationException("nothing is appended");
        }

        @Override
        public CompletionStage<Integer> forgetBefore(long millis, int limit) {
            throw new UnsupportedOperationException("nothing is forgotten");
        }
    }

    private String page(int number, int size) {
        return ENVELOPE.bare(actions.audit(new RecordsQuery(ALL, number, size), http)
                        .toCompletableFuture()
                        .join())
                .bodyText();
    }

    private static List<Long> ids(String json) {
        return java.util.regex.Pattern.compile("\"id\":([0-9]+)")
                .matcher(json)
                .results()
                .map(found -> Long.valueOf(found.group(1)))
                .toList();
    }

    @Test
    void aPageIsAsLongAsAskedWhileRecordsAreAdded() {
        store.count = 1_000;

        assertThat(ids(page(1, 700))).containsExactlyElementsOf(descending(1_000, 301));
        store.count = 1_000;
        assertThat(ids(page(2, 700))).containsExactlyElementsOf(descending(300, 1));
        assertThat(page(5, 700)).contains("\"pageItems\":[]");
    }

    @Test
    void aPageThatIsTooLargeIsRefusedInsteadOfCut() {
        store.count = 10_001;
        assertThatThrownBy(() -> page(1, 10_001))
                .hasRootCauseMessage("pageSize: 10001 (expected: 1-10000, for 10001 entries match)");
        assertThat(ids(page(1, 10_000))).hasSize(10_000);

        List<Integer> all = IntStream.range(0, 10_001).boxed().toList();
        AccountQuery tooMany = new AccountQuery(null, null, false, 1, 20_000);
        assertThatThrownBy(() -> tooMany.cut(all, number -> number))
                .hasMessage("pageSize: 20000 (expected: 1-10000, for 10001 entries match)");
        assertThat(ENVELOPE.bare(tooMany.cut(all.subList(0, 900), number -> number))
                        .bodyText())
                .endsWith(",898,899]}");
    }

    @Test
    void anExportHasAllRecordsAsLines() {
        store.count = 12_345;

        HttpResponse response = actions.export(new RecordsQuery(ALL, 1, Integer.MAX_VALUE), http)
                .toCompletableFuture()
                .join();

        String text = response.bodyText();
        assertThat(text.lines()).hasSize(12_345).allMatch(line -> line.startsWith("{\"id\":") && line.endsWith("}"));
        assertThat(ids(text)).containsExactlyElementsOf(descending(12_345, 1));
    }

    private static List<Long> descending(long from, long to) {
        return LongStream.iterate(from, number -> number >= to, number -> number - 1)
                .boxed()
                .toList();
    }
}
