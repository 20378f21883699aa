package io.cairn.server.http.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import io.cairn.server.config.RowSource;
import io.cairn.server.http.HttpBody;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.limit.Limit;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JsonPiecesTest {

    private static final int MEGABYTE = 1024 * 1024;
    private static final int ROW_BYTES = 50_000;
    private static final String TEXT = "x".repeat(ROW_BYTES);

    private final Limit limit = new Limit("unread-answer-bytes", "a.setting", 4L * MEGABYTE);
    private final AnswerMemory memory = new AnswerMemory(limit);
    private final MemoryLease lease = memory.lease();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean isPoolFull;
    private long nanos = 1;
    private final JsonPieces pieces = new JsonPieces(lease, this::run, () -> nanos);

    private void run(Runnable task) {
        if (isPoolFull) {
            throw new RejectedExecutionException("full");
        }
        tasks.add(task);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private record Row(int number, String text) {}

    /** Rows of a database: three at a time, with large contents. */
    private final class Stored implements RowSource<Row> {

        private final int count;
        private int next;
        private long usedWhileRead;

        Stored(int count) {
            this.count = count;
        }

        @Override
        public List<Row> next(MemoryLease lease) {
            List<Row> some = new ArrayList<>();
            while (some.size() < 3 && next < count) {
                lease.reserve(ROW_BYTES);
                some.add(new Row(next++, TEXT));
            }
            usedWhileRead = limit.used();
            return some;
        }
    }

    private static HttpResponse head() {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(JsonText.of(Map.of()));
    }

    private static String headText(HttpResponse response) {
        return new String(response.head(), UTF_8);
    }

    private HttpResponse begun(Object data) {
        CompletionStage<HttpResponse> response = pieces.begin(JsonText.of(data), head());
        runTasks();
        return response.toCompletableFuture().join();
    }

    private byte[] next() {
        CompletionStage<byte[]> piece = pieces.next();
        runTasks();
        return piece.toCompletableFuture().join();
    }

    private String rest() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] piece = next(); piece != null; piece = next()) {
            bytes.writeBytes(piece);
        }
        return bytes.toString(UTF_8);
    }

    @Test
    void aShortListIsAWholeBodyWithItsLength() {
        HttpResponse response = begun(new PageBody<>(3, 1, 1, Rows.of(new Stored(3))));

        assertThat(headText(response))
                .contains("Content-Length: " + response.bodyText().length());
        assertThat(response.bodyText())
                .startsWith("{\"totalCount\":3,\"pageNumber\":1,\"pagesAvailable\":1,\"pageItems\":[{\"number\":0,")
                .endsWith(TEXT + "\"}]}");
    }

    @Test
    void aLongListComesInPiecesAndIsReadAsItIsSent() {
        Stored stored = new Stored(200);
        HttpResponse response = begun(new PageBody<>(200, 1, 1, Rows.of(stored)));

        assertThat(headText(response)).doesNotContain("Content-Length");
        assertThat(pieces.length()).isEqualTo(HttpBody.UNKNOWN_LENGTH);
        assertThat(stored.next).isLessThan(30);
        int sent = 0;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] piece = next(); piece != null; piece = next()) {
            bytes.writeBytes(piece);
            sent += piece.length;
            assertThat(piece.length).isLessThanOrEqualTo(128 * 1024);
            assertThat((long) stored.next * ROW_BYTES - sent).isLessThan(MEGABYTE + 400_000);
            assertThat(limit.used()).isLessThan(MEGABYTE + 600_000);
        }
        assertThat(bytes.toString(UTF_8))
                .isEqualTo("{\"totalCount\":200,\"pageNumber\":1,\"pagesAvailable\":1,\"pageItems\":["
                        + String.join(
                                ",",
                                IntStream.range(0, 200)
                                        .mapToObj(i -> "{\"number\":" + i + ",\"text\":\"" + TEXT + "\"}")
                                        .toList())
                        + "]}");
        pieces.close();
        assertThat(limit.used()).isZero();
    }

    @Test
    void theFirstRowsTakeNoThreadOfThePoolWhenTheyAreAtHand() {
        RowSource<Row> read = new Stored(3).begun(lease);

        HttpResponse response = pieces.begin(JsonText.of(Rows.of(read)), head())
                .toCompletableFuture()
                .getNow(null);

        // Only the end of the list is to be found out.
        assertThat(response).isNull();
        assertThat(tasks).hasSize(1);
        HttpResponse inMemory = new JsonPieces(memory.lease(), this::run, () -> nanos)
                .begin(JsonText.of(Rows.of(List.of("a", "b"))), head())
                .toCompletableFuture()
                .getNow(null);
        assertThat(inMemory.bodyText()).isEqualTo("[\"a\",\"b\"]");
    }

    @Test
    void aLargeRecordGoesOutInPiecesOfAKnownLength() {
        Row large = new Row(1, "y".repeat(2 * MEGABYTE));
        HttpResponse response = begun(large);

        assertThat(headText(response)).contains("Content-Length: " + pieces.length() + "\r\n");
        assertThat(limit.used()).isEqualTo(pieces.length());
        String sent = rest();
        assertThat(sent)
                .hasSize((int) pieces.length())
                .startsWith("{\"number\":1,\"text\":\"yyy")
                .endsWith("yy\"}");
    }

    @Test
    void aRecordForWhichThereIsNoRoomIsRefusedWithTheLimit() {
        memory.lease().reserve(3L * MEGABYTE);

        assertThatThrownBy(() -> begun(new Row(1, "y".repeat(2 * MEGABYTE))))
                .isInstanceOf(NoRoomException.class)
                .hasMessageContaining("a.setting");
    }

    @Test
    void aListForWhoseFirstRowsThereIsNoRoomIsRefusedWithTheLimit() {
        memory.lease().reserve(4L * MEGABYTE);

        assertThatThrownBy(() -> begun(Rows.of(new Stored(200)))).hasCauseInstanceOf(NoRoomException.class);
    }

    @Test
    void aListThatHasBegunWaitsForRoom() {
        begun(Rows.of(new Stored(200)));
        byte[] first = next();
        MemoryLease other = memory.lease();
        other.adjustTo(4L * MEGABYTE);

        byte[] piece = next();
        int sent = first.length;
        while (piece.length > 0) {
            sent += piece.length;
            piece = next();
        }
        assertThat(sent).isBetween(MEGABYTE, MEGABYTE + 200_000);
        assertThat(next()).isEmpty();
        // It asks for rows again when there is room.
        assertThat(pieces.next().toCompletableFuture()).isDone();
        assertThat(tasks).isEmpty();

        other.close();
        assertThat(rest()).hasSizeGreaterThan(200 * ROW_BYTES - sent).endsWith("xx\"}]");
    }

    @Test
    void aListThatHasWaitedTooLongForRoomEnds() {
        begun(Rows.of(new Stored(200)));
        memory.lease().adjustTo(4L * MEGABYTE);
        while (next().length > 0) {
            // what has been written
        }

        nanos += 31_000_000_000L;

        assertThatThrownBy(this::next).hasCauseInstanceOf(NoRoomException.class).hasStackTraceContaining("a.setting");
    }

    @Test
    void aListThatHasBegunWaitsForAThread() {
        begun(Rows.of(new Stored(200)));
        for (int i = 0; i < MEGABYTE / (128 * 1024); i++) {
            assertThat(next()).isNotEmpty();
        }
        isPoolFull = true;
        byte[] piece = next();
        while (piece.length > 0) {
            piece = next();
        }
        assertThat(next()).isEmpty();

        isPoolFull = false;
        assertThat(rest()).endsWith("xx\"}]");
    }

    @Test
    void aPieceThatIsBeingWrittenGivesItsMemoryBackAfterwards() {
        Stored stored = new Stored(200);
        begun(Rows.of(stored));
        while (tasks.isEmpty()) {
            pieces.next();
        }

        pieces.close();
        stored.usedWhileRead = 0;
        runTasks();

        assertThat(stored.usedWhileRead).isPositive();
        assertThat(limit.used()).isZero();
        assertThat(next()).isNull();
    }

    @Test
    void rowsOfJsonAndLinesAreWrittenAsTheyAre() {
        Rows<byte[]> json = Rows.ofJson(List.of(1, 2), number -> ("{\"n\":" + number + '}').getBytes(UTF_8));
        assertThat(Texts.of(JsonText.of(Map.of("a", json)))).isEqualTo("{\"a\":[{\"n\":1},{\"n\":2}]}");
        assertThat(Texts.of(JsonText.of(Rows.ofJson(List.of(), row -> new byte[0]))))
                .isEqualTo("[]");
        assertThat(Texts.of(JsonText.lines(Rows.of(List.of(Map.of("n", 1), Map.of("n", 2))))))
                .isEqualTo("{\"n\":1}\n{\"n\":2}\n");
    }

    private record TwoLists(Rows<Integer> first, String between, Rows<Row> second, int last) {}

    @Test
    void aResponseMayHaveSeveralLists() {
        TwoLists two = new TwoLists(Rows.of(Collections.nCopies(1000, 7)), "between", Rows.of(new Stored(2)), 9);

        String text = begun(two).bodyText();

        assertThat(text)
                .startsWith("{\"first\":[7,7,")
                .contains("7],\"between\":\"between\",\"second\":[{\"number\":0");
        assertThat(text).endsWith("\"}],\"last\":9}");
    }
}
