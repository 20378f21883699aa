package io.cairn.server.storage.writer;

import static io.cairn.server.storage.SampleCommands.ANNA;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.Dialect;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group of commands in one transaction has the effect of its members one by one, on each database. */
abstract class GroupCommitContract {

    private static final int GROUPS = 40;
    private static final int LARGE = 40 * 1024;
    private static final int GATHERED = 32;

    /** BEGIN, the last revision, the new revision, COMMIT. */
    static final int OF_THE_TRANSACTION = 4;
    /** The stored row, its update, the history, the change, the audit record. */
    static final int OF_AN_UPDATE = 5;
    /** The COMMIT of the command that holds up the publishes of a group. */
    static final int OF_HOLDING = 1;
    /** As an update, and the id that was assigned. */
    private static final int OF_AN_INSERT = 6;

    @TempDir
    Path folder;

    private TestStore store;
    private Dialect dialect;
    private FaultyConnections connections;

    /** The stored state by a simple model: contents of configurations and of gray releases, and what was recorded. */
    private final Map<String, String> contents = new TreeMap<>();

    private final Map<String, List<String>> tags = new TreeMap<>();
    private final Map<String, String> appNames = new TreeMap<>();
    private final Map<String, String> grays = new TreeMap<>();
    private final List<List<String>> history = new ArrayList<>();
    private final List<List<String>> changes = new ArrayList<>();

    /** A database whose schema is up to date and whose tables are empty. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        TestDatabase database = freshDatabase(folder);
        dialect = database.dialect();
        connections = new FaultyConnections(database.writer());
        store = TestStore.start(database.writtenThrough(connections));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aBatchHasTheResultOfItsCommandsOneByOne() throws Exception {
        Random random = new Random(20_261_122);
        for (int group = 0; group < GROUPS; group++) {
            List<CompletionStage<?>> answers = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            CountDownLatch held = new CountDownLatch(1);
            CompletionStage<Boolean> holding = store.writer.submit(new Holding(new CountDownLatch(1), held));
            int size = 1 + random.nextInt(group % 4 == 3 ? 90 : 12);
            for (int i = 0; i < size; i++) {
                doSomething(random, group + "." + i, answers, expected);
            }
            held.countDown();
            TestStore.get(holding);

            assertThat(answers.stream()
                            .map(TestStore::get)
                            .map(GroupCommitContract::inWords)
                            .toList())
                    .as("answers of group %d", group)
                    .containsExactlyElementsOf(expected);
            assertStored("after group " + group);
        }
    }

    @Test
    void aLonePublishTakesAFixedNumberOfStatements() throws Exception {
        String large = "x".repeat(LARGE);
        for (String content : List.of("a: 1", large)) {
            String dataId = "lone-" + content.length();

            assertThat(statementsOf(List.of(SampleCommands.publish(dataId, content))))
                    .as("insert of %d bytes", content.length())
                    .isEqualTo(executedForTransaction() + OF_AN_INSERT);
            assertThat(statementsOf(List.of(SampleCommands.publish(dataId, content + "2"))))
                    .as("update with %d bytes", content.length())
                    .isEqualTo(executedForTransaction() + OF_AN_UPDATE);
        }
    }

    @Test
    void aGroupOfPublishesTakesTheStatementsOfOneWhereTheyAreGathered() throws Exception {
        int times = dialect.gathersPublishes() ? 1 : GATHERED;

        assertThat(statementsOf(publishes("a: 1")))
                .as("inserts")
                .isEqualTo(executedForTransaction() + times * OF_AN_INSERT);
        assertThat(statementsOf(publishes("a: 2")))
                .as("updates")
                .isEqualTo(executedForTransaction() + times * OF_AN_UPDATE);
    }

    @Test
    void answersCarryTheRevisionsOfTheLog() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletionStage<Boolean> holding = store.writer.submit(new Holding(started, held));
        assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        List<CompletionStage<PublishResult>> published = List.of(
                store.store.publish(SampleCommands.publish("a", "1")),
                store.store.publish(SampleCommands.publish("b", "1")),
                store.store.publish(SampleCommands.publishForTag("t", "a", "2", null)),
                store.store.publish(SampleCommands.publish("b", "1")));
        CompletionStage<Optional<ConfigChanged>> removed = store.store.remove(SampleCommands.remove("a"));
        held.countDown();
        TestStore.get(holding);

        List<String> answers = new ArrayList<>();
        for (CompletionStage<PublishResult> each : published) {
            ConfigChanged change = TestStore.published(TestStore.get(each));
            answers.add(change.revision() + " " + change.key().dataId());
        }
        ConfigChanged removal = TestStore.get(removed).orElseThrow();
        answers.add(removal.revision() + " " + removal.key().dataId());

        assertThat(answers)
                .containsExactlyElementsOf(
                        store.query("SELECT revision, data_id FROM cairn_change ORDER BY revision").stream()
                                .map(row -> row.get(0) + " " + row.get(1))
                                .toList());
        assertThat(store.column("SELECT value FROM cairn_revision")).containsExactly("" + removal.revision());
    }

    private static List<PublishConfig> publishes(String content) {
        return IntStream.range(0, GATHERED)
                .mapToObj(i -> SampleCommands.publish("id-" + i, content))
                .toList();
    }

    /** The statements of the transaction that the store executes, without those of the driver. */
    int executedForTransaction() {
        return OF_THE_TRANSACTION;
    }

    /** The number of statements that publishes in one transaction take. */
    private int statementsOf(List<PublishConfig> publishes) throws Exception {
        Counted<Integer> executed = around(publishes, connections::executed);
        return executed.now() - executed.before() - OF_HOLDING;
    }

    /** Something that was counted before and after a group of publishes. */
    record Counted<T>(T before, T now) {}

    /** Counts while the writer waits for the publishes of a group, and after it has answered them. */
    <T> Counted<T> around(List<PublishConfig> publishes, Callable<T> count) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletionStage<Boolean> holding = store.writer.submit(new Holding(started, held));
        assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        T before = count.call();
        List<CompletionStage<PublishResult>> answers =
                publishes.stream().map(store.store::publish).toList();
        held.countDown();
        TestStore.get(holding);
        answers.forEach(answer -> TestStore.published(TestStore.get(answer)));
        return new Counted<>(before, count.call());
    }

    /** The connection of the writer, past what counts its statements. */
    Connection writersConnection() {
        return connections.last();
    }

    private void doSomething(Random random, String name, List<CompletionStage<?>> answers, List<String> expected) {
        String dataId = "id-" + random.nextInt(5);
        String before = contents.get(dataId);
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> publish(dataId, name, null, null, answers, expected);
            case 3 -> publish(dataId, name + "x".repeat(LARGE), null, null, answers, expected);
            case 4 -> publish(dataId, name, null, List.of("t1", name), answers, expected);
            case 5 -> publish(dataId, name, null, List.of(), answers, expected);
            case 6 ->
                publish(
                        dataId,
                        name,
                        md5(before == null || random.nextBoolean() ? "other" : before),
                        null,
                        answers,
                        expected);
            case 7, 8 -> remove(dataId, answers, expected);
            default -> changeGray(random, dataId, name, answers, expected);
        }
    }

    private void publish(
            String dataId,
            String content,
            String expectedMd5,
            List<String> newTags,
            List<CompletionStage<?>> answers,
            List<String> expected) {
        String appName = content.length() % 3 == 0 ? "app-" + content.length() : null;
        PublishConfig command = SampleCommands.publish(
                key(dataId),
                content,
                expectedMd5,
                new ConfigAttributes(ConfigType.TEXT, appName, null, null, null, null, newTags, ""),
                ANNA);
        answers.add(store.store.publish(command));
        String before = contents.get(dataId);
        if (before != null && expectedMd5 != null && !expectedMd5.equals(md5(before))) {
            expected.add("conflict with " + md5(before));
            return;
        }
        expected.add(changed(before, content));
        boolean isNew = before == null;
        history.add(List.of(dataId, isNew ? "I" : "U", isNew ? content : before));
        changes.add(List.of("config", isNew ? "I" : "U", dataId, md5(content)));
        contents.put(dataId, content);
        if (newTags != null) {
            tags.put(dataId, newTags);
        }
        if (isNew || appName != null) {
            appNames.put(dataId, appName == null ? "" : appName);
        }
    }

    private void remove(String dataId, List<CompletionStage<?>> answers, List<String> expected) {
        answers.add(store.store.remove(SampleCommands.remove(dataId)));
        String before = contents.remove(dataId);
        tags.remove(dataId);
        appNames.remove(dataId);
        if (before == null) {
            expected.add("nothing");
            return;
        }
        expected.add(changed(before, null));
        history.add(List.of(dataId, "D", before));
        changes.add(List.of("config", "D", dataId, ""));
    }

    private void changeGray(
            Random random, String dataId, String name, List<CompletionStage<?>> answers, List<String> expected) {
        String before = grays.get(dataId);
        if (random.nextBoolean()) {
            answers.add(store.store.publish(SampleCommands.publishForTag("blue", dataId, name, null)));
            expected.add(changed(before, name));
            history.add(List.of(dataId, before == null ? "I" : "U", before == null ? name : before));
            changes.add(List.of("gray", before == null ? "I" : "U", dataId, md5(name)));
            grays.put(dataId, name);
            return;
        }
        answers.add(store.store.remove(SampleCommands.removeForTag("blue", dataId)));
        grays.remove(dataId);
        if (before == null) {
            expected.add("nothing");
            return;
        }
        expected.add(changed(before, null));
        history.add(List.of(dataId, "D", before));
        changes.add(List.of("gray", "D", dataId, ""));
    }

    private static String changed(String before, String now) {
        return "from " + (before == null ? null : md5(before)) + " to " + (now == null ? null : md5(now));
    }

    private static String inWords(Object answer) {
        if (answer instanceof PublishResult.Conflict conflict) {
            return "conflict with " + conflict.actual().orElseThrow();
        }
        if (answer instanceof PublishResult.Published published) {
            return inWords(published.change());
        }
        return ((Optional<?>) answer)
                .map(change -> inWords((ConfigChanged) change))
                .orElse("nothing");
    }

    private static String inWords(ConfigChanged change) {
        return "from " + change.before().map(ContentDigest::toString).orElse(null) + " to "
                + change.now().map(ContentDigest::toString).orElse(null);
    }

    private void assertStored(String when) {
        List<List<String>> rows = new ArrayList<>();
        contents.forEach((dataId, content) ->
                rows.add(List.of(dataId, content, md5(content), appNames.getOrDefault(dataId, ""), "anna")));
        assertThat(store.query("SELECT data_id, content, md5, app_name, src_user FROM config_info ORDER BY data_id"))
                .as(when)
                .containsExactlyElementsOf(rows);
        List<List<String>> tagged = new ArrayList<>();
        tags.forEach((dataId, names) -> names.stream().sorted().forEach(name -> tagged.add(List.of(dataId, name))));
        assertThat(store.query("SELECT t.data_id, t.tag_name FROM config_tags_relation t JOIN config_info c"
                        + " ON c.id = t.id ORDER BY t.data_id, t.tag_name"))
                .as("tags %s", when)
                .containsExactlyElementsOf(tagged);
        assertThat(store.column("SELECT count(*) FROM config_tags_relation"))
                .as("tags %s", when)
                .containsExactly(Integer.toString(tagged.size()));
        List<List<String>> gray = new ArrayList<>();
        grays.forEach((dataId, content) -> gray.add(List.of(dataId, content)));
        assertThat(store.query("SELECT data_id, content FROM config_info_gray ORDER BY data_id"))
                .as("gray releases %s", when)
                .containsExactlyElementsOf(gray);
        List<List<String>> recorded =
                store.query("SELECT data_id, op_type, content, md5 FROM his_config_info ORDER BY nid");
        assertThat(recorded).as("md5 in the history %s", when).allSatisfy(row -> assertThat(row.get(3))
                .isEqualTo(md5(row.get(2))));
        // Of one configuration in its order; among several, those that are written together may come first.
        for (String dataId : List.of("id-0", "id-1", "id-2", "id-3", "id-4")) {
            assertThat(recorded.stream()
                            .filter(row -> row.get(0).equals(dataId))
                            .map(row -> row.subList(0, 3))
                            .toList())
                    .as("history of %s %s", dataId, when)
                    .containsExactlyElementsOf(history.stream()
                            .filter(row -> row.get(0).equals(dataId))
                            .toList());
        }
        assertThat(store.column(
                        "SELECT count(*) FROM his_config_info h WHERE op_type <> 'D' AND publish_type = 'formal'"
                                + " AND id = 0"))
                .as("history without the number of its configuration")
                .containsExactly("0");
        assertThat(store.query("SELECT kind, op_type, data_id, COALESCE(md5, '') FROM cairn_change ORDER BY revision"))
                .as("change log %s", when)
                .containsExactlyElementsOf(changes);
        assertThat(store.column("SELECT value FROM cairn_revision")).containsExactly(Integer.toString(changes.size()));
    }
}
