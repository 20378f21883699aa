package io.cairn.server.config.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Permission;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.transfer.TransferException.Fault;
import io.cairn.server.config.validation.ContentChecks;
import io.cairn.server.config.validation.LateValidation;
import io.cairn.server.config.validation.RequiredCheck;
import io.cairn.server.config.validation.ValidationMode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exports and imports, with a map in the place of the database. */
class ConfigArchiveTest {

    private static final Namespace DEV = new Namespace("dev");
    private static final ConfigLimits LIMITS = new ConfigLimits(1 << 20, 2 << 20);

    private static final ContentChecks CHECKS =
            new ContentChecks(ValidationMode.WARN, key -> Optional.empty(), RequiredCheck.NONE);

    @TempDir
    Path scratch;

    private final MapStore store = new MapStore();
    private ConfigTransfer transfer;

    /** Configurations in a map, in the order in which they came. */
    private static final class MapStore implements TransferStore, ChangeSetStore {

        final Map<ConfigKey, WholeConfig> configs = new LinkedHashMap<>();
        private long revision;

        @Override
        public void forEach(ConfigSelection selection, Consumer<WholeConfig> consumer) {
            List.copyOf(configs.values()).stream()
                    .filter(
                            selection.ids().isEmpty()
                                    ? selection::matches
                                    : config -> selection.ids().contains(config.id())
                                            && config.key().namespace().equals(selection.namespace()))
                    .forEach(consumer);
        }

        @Override
        public void forEachOf(Collection<Long> ids, Consumer<WholeConfig> consumer) {
            List.copyOf(configs.values()).stream()
                    .filter(config -> ids.contains(config.id()))
                    .forEach(consumer);
        }

        @Override
        public CompletionStage<ChangeSetResult> apply(ChangeSet changes) {
            List<ChangeSetResult.Outcome> outcomes = new ArrayList<>();
            boolean stopped = false;
            for (ConfigEdit edit : changes.edits()) {
                Optional<ContentDigest> stored =
                        Optional.ofNullable(configs.get(edit.key())).map(config -> ContentDigest.of(config.utf8()));
                if (stopped) {
                    outcomes.add(new ChangeSetResult.NotReached(edit.key()));
                } else if (edit.isDone(stored)) {
                    outcomes.add(new ChangeSetResult.Unchanged(edit.key()));
                } else if (edit.condition().isMet(stored)) {
                    ConfigEdit.Put put = (ConfigEdit.Put) edit;
                    add(edit.key(), put.command().utf8(), put.command().attributes());
                    outcomes.add(new ChangeSetResult.Applied(
                            edit.key(),
                            Optional.of(new ConfigChanged(
                                    edit.key(),
                                    ++revision,
                                    stored,
                                    Optional.of(ContentDigest.of(put.command().utf8()))))));
                } else {
                    outcomes.add(new ChangeSetResult.Conflicting(edit.key(), stored));
                    stopped = changes.mode() == ChangeSet.Mode.UNTIL_CONFLICT;
                }
            }
            return CompletableFuture.completedFuture(new ChangeSetResult(outcomes));
        }

        void add(ConfigKey key, byte[] utf8, ConfigAttributes attributes) {
            configs.put(key, new WholeConfig(configs.size() + 1, key, utf8, attributes));
        }
    }

    @BeforeEach
    void build() {
        transfer = new ConfigTransfer(
                store,
                store,
                LIMITS,
                new ExistingConfigs() {
                    @Override
                    public CurrentConfig current(ConfigKey key) {
                        WholeConfig config = store.configs.get(key);
                        return config == null
                                ? new CurrentConfig(Optional.empty(), () -> "")
                                : new CurrentConfig(
                                        Optional.of(ContentDigest.of(config.utf8())),
                                        () -> new String(config.utf8(), UTF_8));
                    }

                    @Override
                    public boolean exists(Namespace namespace) {
                        return !namespace.id().equals("nosuch");
                    }
                },
                CHECKS,
                new LateValidation(CHECKS),
                scratch,
                Runnable::run);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        try (Stream<Path> left = Files.list(scratch)) {
            assertThat(left).isEmpty();
        }
    }

    private static ConfigKey key(String group, String dataId) {
        return new ConfigKey(Namespace.DEFAULT, group, dataId);
    }

    private void stored(String group, String dataId, String content, ConfigType type, String appName, String desc) {
        store.add(
                key(group, dataId),
                content.getBytes(UTF_8),
                new ConfigAttributes(type, appName, desc, null, null, null, null, ""));
    }

    private byte[] exported(ArchiveLayout layout) {
        try (TransferFile file = transfer.exportArchive(ConfigSelection.all(Namespace.DEFAULT), layout, any -> true)
                .toCompletableFuture()
                .join()) {
            byte[] bytes = Files.readAllBytes(file.path());
            assertThat(file.sizeBytes()).isEqualTo(bytes.length);
            return bytes;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Caller callerWith(String resource, String action) {
        return new Caller(
                new Principal("anna", Principal.Kind.USER, false, List.of(Permission.of(resource, action))),
                "10.0.0.9");
    }

    private static TransferTarget into(Namespace namespace, ConflictPolicy policy) {
        return new TransferTarget(namespace, policy, false, new Author("anna", "10.0.0.9"));
    }

    private TransferReport imported(byte[] archive, Namespace namespace, ConflictPolicy policy) {
        return transfer.importArchive(archive, into(namespace, policy))
                .toCompletableFuture()
                .join();
    }

    private TransferException refused(byte[] archive) {
        Map<ConfigKey, WholeConfig> before = Map.copyOf(store.configs);
        try {
            imported(archive, Namespace.DEFAULT, ConflictPolicy.OVERWRITE);
        } catch (CompletionException e) {
            assertThat(store.configs).isEqualTo(before);
            return (TransferException) e.getCause();
        }
        throw new AssertionError("it was taken");
    }

    private static byte[] zip(String... namesAndContents) {
        return zip(UTF_8, namesAndContents);
    }

    private static byte[] zip(Charset names, String... namesAndContents) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes, names)) {
            for (int i = 0; i < namesAndContents.length; i += 2) {
                zip.putNextEntry(new ZipEntry(namesAndContents[i]));
                zip.write(namesAndContents[i + 1].getBytes(UTF_8));
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    private static String list(String... items) {
        StringBuilder list = new StringBuilder("metadata:\n");
        for (String item : items) {
            String[] parts = item.split("/");
            list.append("- dataId: ")
                    .append(parts[1])
                    .append("\n  group: ")
                    .append(parts[0])
                    .append("\n  type: text\n");
        }
        return list.toString();
    }

    private static Map<String, String> entries(byte[] archive) {
        Map<String, String> entries = new LinkedHashMap<>();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(archive), UTF_8)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), new String(zip.readAllBytes(), UTF_8));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return entries;
    }

    @Test
    void theLayoutsAreThoseOfNacos() {
        stored("G1", "e1.yaml", "k: v\n", ConfigType.YAML, "app1", "about");
        stored("G2", "e2.txt", "plain", ConfigType.TEXT, "", null);

        assertThat(entries(exported(ArchiveLayout.APP_NAMES)))
                .containsExactly(
                        Map.entry("G1/e1.yaml", "k: v\n"),
                        Map.entry("G2/e2.txt", "plain"),
                        Map.entry(".meta.yml", "G1.e1~yaml.app=app1\r\n"));
        assertThat(entries(exported(ArchiveLayout.LISTED)).get(".metadata.yml")).isEqualTo("""
                metadata:
                - appName: app1
                  dataId: e1.yaml
                  desc: about
                  group: G1
                  type: yaml
                - appName: ''
                  dataId: e2.txt
                  group: G2
                  type: text
                """);
    }

    @Test
    void exportWithoutConfigurationsIsAValidArchive() {
        assertThat(entries(exported(ArchiveLayout.APP_NAMES))).isEmpty();
        assertThat(entries(exported(ArchiveLayout.LISTED)))
                .containsExactly(Map.entry(".metadata.yml", "metadata: []\n"));
    }

    @Test
    void writesOwnAttributesAsScalarsAndLinesWithOneEqualsSign() {
        store.add(
                key("G", "a.json"),
                "{}".getBytes(UTF_8),
                new ConfigAttributes(
                        ConfigType.JSON, "app1", null, "use", "all", "{\"a\": 1}\n", List.of("t1", "t2"), "k=="));

        assertThat(entries(exported(ArchiveLayout.LISTED)).get(".metadata.yml")).isEqualTo("""
                metadata:
                - appName: app1
                  configTags: t1,t2
                  dataId: a.json
                  effect: all
                  encryptedDataKey: k==
                  group: G
                  schema: "{\\"a\\": 1}\\n"
                  type: json
                  use: use
                """);
        assertThat(entries(exported(ArchiveLayout.APP_NAMES)).get(".meta.yml")).isEqualTo("""
                G.a~json.app=app1
                G.a~json.cairn-configTags=t1%2Ct2
                G.a~json.cairn-effect=all
                G.a~json.cairn-encryptedDataKey=k%3D%3D
                G.a~json.cairn-schema=%7B%22a%22%3A+1%7D%0A
                G.a~json.cairn-use=use
                """.replace("\n", "\r\n"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void importOfAnExportIsEqual(long seed) {
        Random random = new Random(seed);
        for (ArchiveLayout layout : ArchiveLayout.values()) {
            store.configs.clear();
            int count = 1 + random.nextInt(60);
            for (int i = 0; i < count; i++) {
                ConfigType type = layout == ArchiveLayout.LISTED
                        ? ConfigType.values()[random.nextInt(ConfigType.values().length)]
                        : ConfigType.TEXT;
                String desc = layout == ArchiveLayout.LISTED && random.nextBoolean() ? text(random, 60) : null;
                // One that looks like another in the list of application names is left out.
                String dataId = name(random).replace('~', '-') + i;
                String group = name(random);
                // Without a list, a name that climbs is refused.
                store.add(
                        key(group.matches("\\.\\.?") && layout == ArchiveLayout.APP_NAMES ? "G" : group, dataId),
                        text(random, 400).getBytes(UTF_8),
                        new ConfigAttributes(
                                type,
                                appName(random),
                                desc,
                                orNull(random, text(random, 20)),
                                orNull(random, text(random, 20)),
                                orNull(random, "{\"const\": \"" + text(random, 60) + "= %3D\"}"),
                                orNull(random, List.of("t1", "Tag-名称", "c:d")),
                                random.nextBoolean() ? "" : "key+/= " + random.nextInt()));
            }
            Map<ConfigKey, WholeConfig> before = new LinkedHashMap<>(store.configs);
            byte[] archive = exported(layout);

            TransferReport report = imported(archive, DEV, ConflictPolicy.ABORT);

            assertThat(report).isEqualTo(new TransferReport(count, List.of(), List.of(), List.of(), store.revision));
            before.forEach((key, config) -> {
                WholeConfig copy = store.configs.get(new ConfigKey(DEV, key.group(), key.dataId()));
                assertThat(copy).as(key.toString()).isNotNull();
                assertThat(copy.utf8()).isEqualTo(config.utf8());
                assertThat(copy.attributes().type())
                        .isEqualTo(config.attributes().type());
                assertThat(orEmpty(copy.attributes().appName()))
                        .isEqualTo(config.attributes().appName());
                assertThat(copy.attributes().description())
                        .isEqualTo(config.attributes().description());
                assertThat(copy.attributes().use())
                        .isEqualTo(config.attributes().use());
                assertThat(copy.attributes().effect())
                        .isEqualTo(config.attributes().effect());
                assertThat(copy.attributes().schema())
                        .isEqualTo(config.attributes().schema());
                assertThat(copy.attributes().tags())
                        .isEqualTo(config.attributes().tags());
                assertThat(copy.attributes().encryptedDataKey())
                        .isEqualTo(config.attributes().encryptedDataKey());
            });
            assertThat(store.configs).hasSize(2 * count);
        }
    }

    private static <T> T orNull(Random random, T value) {
        return random.nextBoolean() ? null : value;
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }

    private static String appName(Random random) {
        return random.nextBoolean() ? "" : "app-" + random.nextInt(9) + (random.nextInt(4) == 0 ? " = 🐚: 'x'" : "");
    }

    private static String name(Random random) {
        List<String> odd =
                List.of("..", ".", "-", ":", "null", "true", "123", "a.b.c", "metadata", "_", "A:b-c", "0x1F");
        return odd.get(random.nextInt(odd.size())) + "ab.-_:Z9".charAt(random.nextInt(8));
    }

    private static String text(Random random, int maxLength) {
        List<String> parts = List.of(
                "a", "Ü", "名称", "🐚", "👩‍🚀", "\n", "\r\n", "\t", ": ", "- ", "#", "'", "\"", "\\", "{{", "%s",
                "\u0085", "\u2028", "~", "null", " ", "|", ">", "&a", "*a", "!!x", "\u00a0", "\ufeff", "---\n",
                "...\n");
        StringBuilder text = new StringBuilder("x");
        int length = random.nextInt(maxLength);
        while (text.length() < length) {
            text.append(parts.get(random.nextInt(parts.size())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource(ArchiveLayout.class)
    void exportsDotsAsSafeNamesThatAreImportedAgain(ArchiveLayout layout) {
        stored("..", ".", "x", ConfigType.TEXT, "", null);
        stored(".", "..", "y", ConfigType.TEXT, "shop", null);
        byte[] archive = exported(layout);
        assertThat(entries(archive).keySet())
                .contains("%2E%2E/%2E", "%2E/%2E%2E")
                .allMatch(name -> EntryName.pathFault(name) == null);

        TransferReport report = imported(archive, DEV, ConflictPolicy.ABORT);
        assertThat(report.stored()).isEqualTo(2);
        assertThat(report.unrecognized()).isEmpty();
        assertThat(store.configs.get(new ConfigKey(DEV, "..", ".")).utf8()).isEqualTo("x".getBytes(UTF_8));
        assertThat(store.configs.get(new ConfigKey(DEV, ".", "..")).attributes().appName())
                .isEqualTo("shop");
    }

    @Test
    void importsNamesOfEarlierExportsThatTheListNames() {
        byte[] archive = zip("../x", "1", ".metadata.yml", list("../x"));
        assertThat(imported(archive, DEV, ConflictPolicy.ABORT).stored()).isOne();
    }

    @Test
    void manyAreStoredInGroups() {
        for (int i = 0; i < 1_234; i++) {
            stored("G", "d" + i, i % 50 == 0 ? "x".repeat(200_000) : "x" + i, ConfigType.TEXT, "", null);
        }
        assertThat(imported(exported(ArchiveLayout.LISTED), DEV, ConflictPolicy.SKIP)
                        .stored())
                .isEqualTo(1_234);
        assertThat(imported(exported(ArchiveLayout.LISTED), DEV, ConflictPolicy.SKIP)
                        .skipped())
                .hasSize(1_234);
    }

    private byte[] threeOfWhichTheSecondIsThere() {
        byte[] archive = zip("G/a", "1", "G/b", "2", "G/c", "3", ".metadata.yml", list("G/a", "G/b", "G/c"));
        stored("G", "b", "stored", ConfigType.TEXT, "", null);
        return archive;
    }

    private Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        store.configs.forEach((key, config) -> contents.put(key.dataId(), new String(config.utf8(), UTF_8)));
        return contents;
    }

    @Test
    void abortStoresWhatCameBeforeTheFirstConflict() {
        TransferReport report = imported(threeOfWhichTheSecondIsThere(), Namespace.DEFAULT, ConflictPolicy.ABORT);

        assertThat(report)
                .isEqualTo(new TransferReport(1, List.of(key("G", "b")), List.of(key("G", "c")), List.of(), 1));
        assertThat(contents()).isEqualTo(Map.of("a", "1", "b", "stored"));
    }

    @Test
    void skipStoresWhatIsNotThere() {
        TransferReport report = imported(threeOfWhichTheSecondIsThere(), Namespace.DEFAULT, ConflictPolicy.SKIP);

        assertThat(report).isEqualTo(new TransferReport(2, List.of(), List.of(key("G", "b")), List.of(), 2));
        assertThat(contents()).isEqualTo(Map.of("a", "1", "b", "stored", "c", "3"));
    }

    @Test
    void overwriteStoresAll() {
        TransferReport report = imported(threeOfWhichTheSecondIsThere(), Namespace.DEFAULT, ConflictPolicy.OVERWRITE);

        assertThat(report).isEqualTo(new TransferReport(3, List.of(), List.of(), List.of(), 3));
        assertThat(contents()).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    }

    @ParameterizedTest
    @EnumSource(ConflictPolicy.class)
    void previewEqualsTheResultOfTheTransfer(ConflictPolicy policy) {
        byte[] archive = threeOfWhichTheSecondIsThere();
        Map<String, String> before = contents();

        TransferPreview preview = transfer.previewImport(archive, into(Namespace.DEFAULT, policy))
                .toCompletableFuture()
                .join();

        assertThat(contents()).as("nothing is stored").isEqualTo(before);
        TransferReport report = imported(archive, Namespace.DEFAULT, policy);
        TransferPreview.Counts counts = preview.counts();
        assertThat(counts.create() + counts.update() + counts.same()).isEqualTo(report.stored());
        assertThat(counts.skip()).isEqualTo(report.skipped().size());
        assertThat(counts.fail()).isEqualTo(report.failed().size());
        assertThat(preview.items().get(0).diff()).isEqualTo("""
                --- /dev/null
                +++ G/a
                @@ -0,0 +1 @@
                +1
                \\ No newline at end of file
                """);
        assertThat(preview.items().get(1).diff()).contains("-stored\n").contains("+2\n");
    }

    @ParameterizedTest
    @CsvSource({"ABORT, 0, 0, 2, 1", "ABORT_IF_DIFFERENT, 1, 0, 1, 1", "SKIP, 1, 0, 1, 0", "OVERWRITE, 1, 1, 0, 0"})
    void aDryRunCountsIdenticalOnesApart(ConflictPolicy policy, int same, int update, int skip, int fail) {
        byte[] archive = zip("G/a", "1", "G/b", "2", "G/c", "3", ".metadata.yml", list("G/a", "G/b", "G/c"));
        stored("G", "a", "1", ConfigType.TEXT, "", null);
        stored("G", "b", "stored", ConfigType.TEXT, "", null);

        TransferPreview.Counts counts = transfer.previewImport(archive, into(Namespace.DEFAULT, policy))
                .toCompletableFuture()
                .join()
                .counts();

        // With ABORT the identical one is where the import ends, with ABORT_IF_DIFFERENT the other content.
        int create = policy.stops() ? 0 : 1;
        assertThat(counts).isEqualTo(new TransferPreview.Counts(create, update, same, skip, fail, 0));
    }

    /** An archive that is imported a second time, or after a part of it was changed here, goes to its end. */
    @Test
    void identicalOnesAreNoConflictWhereOnlyDifferentOnesAbort() {
        byte[] archive = zip("G/a", "1", "G/b", "2", "G/c", "3", ".metadata.yml", list("G/a", "G/b", "G/c"));
        stored("G", "a", "1", ConfigType.TEXT, "", null);
        stored("G", "b", "2", ConfigType.TEXT, "", null);

        TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT_IF_DIFFERENT);

        assertThat(report.stored()).isOne();
        assertThat(report.failed()).isEmpty();
        assertThat(report.skipped()).containsExactly(key("G", "a"), key("G", "b"));
        assertThat(contents()).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    }

    @Test
    void reportsEntriesThatAreNotConfigurations() {
        byte[] archive =
                zip("dir/", "", "G/a", "1", "top.txt", "x", "a/b/c.txt", "y", ".metadata.yml", list("G/a", "G/absent"));

        assertThat(imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT))
                .isEqualTo(new TransferReport(
                        1,
                        List.of(),
                        List.of(),
                        List.of(
                                new UnrecognizedEntry("top.txt", "not in .metadata.yml"),
                                new UnrecognizedEntry("a/b/c.txt", "not in .metadata.yml"),
                                new UnrecognizedEntry("G/absent", "in .metadata.yml, but there is no such file")),
                        1));
    }

    @Test
    void withoutAListTheNamesDecide() {
        byte[] archive = zip("G/a.yaml", "1", "top.txt", "x", "a/b/c.txt", "y", ".meta.yml", "G.a~yaml.app=shop\r\n");

        assertThat(imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT).unrecognized())
                .containsExactly(
                        new UnrecognizedEntry("top.txt", "not named <group>/<dataId>"),
                        new UnrecognizedEntry("a/b/c.txt", "not named <group>/<dataId>"));
        WholeConfig config = store.configs.get(key("G", "a.yaml"));
        assertThat(config.attributes().appName()).isEqualTo("shop");
        assertThat(config.attributes().type()).isEqualTo(ConfigType.YAML);
    }

    @ParameterizedTest
    @CsvSource({
        "a.yaml, YAML",
        "a.yml, YAML",
        "a.YAML, YAML",
        "a.b.properties, PROPERTIES",
        "a.json, JSON",
        "a.xml, XML",
        "a.html, HTML",
        "a.toml, TOML",
        "a.txt, TEXT",
        "a.unset, TEXT",
        "yaml, TEXT",
        "a., TEXT",
        "a.conf, TEXT"
    })
    void withoutAListTheEndingOfTheNameIsTheType(String dataId, ConfigType type) {
        imported(zip("G/" + dataId, "1"), Namespace.DEFAULT, ConflictPolicy.ABORT);

        assertThat(store.configs.get(key("G", dataId)).attributes().type()).isEqualTo(type);
    }

    @Test
    void refusesFileThatIsNotAnArchiveAsEmpty() {
        for (byte[] file : new byte[][] {"garbage".getBytes(UTF_8), zip()}) {
            assertThat(refused(file).fault()).isEqualTo(Fault.EMPTY);
        }
        assertThat(refused("garbage".getBytes(UTF_8)).text()).startsWith("The file is no zip archive");
        assertThat(refused(zip()).text()).isEqualTo("The archive has no entries");
    }

    static Stream<Arguments> filesWithoutConfigurations() {
        return Stream.of(
                Arguments.of(new byte[0], "The file is empty, it has 0 bytes (expected: a zip archive)"),
                Arguments.of(bytes(0x1f, 0x8b, 8, 0), "The file is a gzip file (expected: a zip archive)"),
                Arguments.of(bytes('7', 'z', 0xbc, 0xaf, 0x27, 0x1c, 0), "The file is a 7z archive"),
                Arguments.of("Rar!\u001a\u0007\u0001".getBytes(ISO_8859_1), "The file is a RAR archive"),
                Arguments.of(("x".repeat(257) + "ustar\0").getBytes(ISO_8859_1), "The file is a tar archive"),
                Arguments.of(zip("folder/", "", "folder/G/", ""), "There are only folders in the archive"),
                Arguments.of(zip(".meta.yml", "G.a.app=x\r\n"), "There is a list in the archive, but no configuration"),
                Arguments.of(zip(".metadata.yml", "metadata: []\n"), "There is a list in the archive, but no config"));
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("filesWithoutConfigurations")
    void aFileWithoutConfigurationsIsRefusedWithItsCause(byte[] file, String cause) {
        TransferException refused = refused(file);
        assertThat(refused.fault()).isEqualTo(Fault.NO_CONFIGURATION);
        assertThat(refused.text()).startsWith(cause);
    }

    @Test
    void anArchiveWithoutConfigurationsIsRefusedWithWhatIsInItAndTheExpectedLayout() {
        TransferException nested = refused(zip("exp/G/a.yml", "1"));
        assertThat(nested.fault()).isEqualTo(Fault.NO_CONFIGURATION);
        assertThat(nested.text())
                .startsWith("There is no configuration in the archive, but 'exp/G/a.yml' (not named <group>/<dataId>)"
                        + " (expected: files named <group>/<dataId>");
        assertThat(refused(zip(".metadata.yml", list("G/a", "G/b", "G/c", "G/d", "G/e")))
                        .text())
                .contains(
                        "but 'G/a' (in .metadata.yml, but there is no such file), 'G/b' (",
                        "'G/c' (in .metadata.yml, but there is no such file) and 2 more");
    }

    @Test
    void aNamespaceThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> imported(zip("G/a", "1"), new Namespace("nosuch"), ConflictPolicy.ABORT))
                .hasCauseInstanceOf(TransferException.class)
                .hasMessageContaining("namespace 'nosuch' does not exist");
    }

    @ParameterizedTest
    @CsvSource({
        "../G/a, ../G/a, its path leads out of the archive",
        "G/.., G/.., its path holds a folder or file '.' or '..' (expected: <group>/<dataId>)",
        "G/./a.yml, G/./a.yml, its path holds a folder or file '.' or '..' (expected: <group>/<dataId>)",
        "G/../a.yml, G/../a.yml, its path holds a folder or file '.' or '..' (expected: <group>/<dataId>)",
        "G/../../a, G/../../a, its path leads out of the archive",
        "'..\\a/b', '..\\a/b', its path leads out of the archive",
        "./a, ./a, not named <group>/<dataId>",
        "'C:\\a/b', 'C:\\a/b', not named <group>/<dataId>",
        "H/.metadata.yml, H/.metadata.yml, a list of configurations that is not beside the folders of all groups; it is not read",
        "H/.meta.yml, H/.meta.yml, a list of configurations that is not beside the folders of all groups; it is not read",
        "__MACOSX/._G, __MACOSX/._G, a file of an operating system or a tool",
        "__MACOSX/G/._a, __MACOSX/G/._a, a file of an operating system or a tool",
        "G/.DS_Store, G/.DS_Store, a file of an operating system or a tool",
        ".DS_Store, .DS_Store, a file of an operating system or a tool",
        "G/Thumbs.db, G/Thumbs.db, a file of an operating system or a tool",
        "desktop.ini, desktop.ini, a file of an operating system or a tool",
        "G/Desktop.ini, G/Desktop.ini, a file of an operating system or a tool",
        "G/THUMBS.DB, G/THUMBS.DB, a file of an operating system or a tool",
        "G/ehthumbs.db, G/ehthumbs.db, a file of an operating system or a tool",
        "__macosx/x, __macosx/x, a file of an operating system or a tool",
        "meta-inf/manifest.mf, meta-inf/manifest.mf, a file of an operating system or a tool",
        "G/._a.yml, G/._a.yml, a file of an operating system or a tool",
        ".git/HEAD, .git/HEAD, a file of an operating system or a tool",
        ".git/refs/heads/main, .git/refs/heads/main, a file of an operating system or a tool",
        "G/\u540d.yml, G/\u540d.yml, 'Param ''dataId'' is illegal, illegal characters should not appear in the param.'",
        "G/a@b, G/a@b, 'Param ''dataId'' is illegal, illegal characters should not appear in the param.'",
        "G/%41, G/%41, 'Param ''dataId'' is illegal, illegal characters should not appear in the param.'",
        "'G/a.yml ', 'G/a.yml ', 'Param ''dataId'' is illegal, illegal characters should not appear in the param.'",
        "G b/a, G b/a, 'Param ''group'' is illegal, illegal characters should not appear in the param.'",
        "META-INF/MANIFEST.MF, META-INF/MANIFEST.MF, a file of an operating system or a tool",
        "./G/ok, ./G/ok, its name is there twice"
    })
    void listsWhatIsNoConfigurationWithItsReasonAndImportsTheRest(String name, String shown, String reason) {
        TransferReport report = imported(zip("G/ok", "1", name, "2"), Namespace.DEFAULT, ConflictPolicy.ABORT);

        assertThat(report.stored()).isOne();
        assertThat(report.unrecognized()).containsExactly(new UnrecognizedEntry(shown, reason));
        assertThat(store.configs).containsOnlyKeys(key("G", "ok"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"G\\x.yml", "./G/x.yml", "/G/x.yml", ".//G/x.yml", ".\\G\\x.yml", "//G//x.yml"})
    void readsNamesAsOtherProgramsSpellThem(String name) {
        imported(zip(name, "1"), Namespace.DEFAULT, ConflictPolicy.ABORT);
        imported(zip(name, "2", "./.metadata.yml", list("G/x.yml")), Namespace.DEFAULT, ConflictPolicy.OVERWRITE);

        assertThat(store.configs).containsOnlyKeys(key("G", "x.yml"));
        assertThat(contents()).isEqualTo(Map.of("x.yml", "2"));
    }

    @Test
    void listsANameThatIsNotUtf8AndImportsTheRest() {
        byte[] archive = zip(Charset.forName("GBK"), "G/ok", "1", "G/\u4e2d.yml", "2");

        TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(report.stored()).isOne();
        assertThat(report.unrecognized())
                .containsExactly(new UnrecognizedEntry("G/\\xD6\\xD0.yml", "its name is not UTF-8"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"  type: null\n", "  type: ''\n", "  type: ~\n", ""})
    void takesTheTypeFromTheEndingWhereTheListHasNone(String type) {
        imported(
                zip("G/a.yml", "a: 1", ".metadata.yml", "metadata:\n- dataId: a.yml\n  group: G\n" + type),
                Namespace.DEFAULT,
                ConflictPolicy.ABORT);
        assertThat(store.configs.get(key("G", "a.yml")).attributes().type()).isEqualTo(ConfigType.YAML);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- dataId: ''\\n  group: G            | item 1 (line 2): no dataId",
                "- group: G\\n  dataId: a\\n- dataId: b | item 2 (line 4): no group for dataId 'b'",
                "- {dataId: a, group: G}\\n- {dataId: a, group: G} | item 2 (line 3): G/a is in the list already, as item 1 (line 2)",
                "- {dataId: a, group: G}\\n- text  | item 2 (line 3): no mapping",
                "- dataId: a\\n\\tgroup: G           | item 1 (line 2): line 3: ",
                "- {dataId: a, group: G}\\n- dataId: 'b\\n  group: G | item 2 (line 3): line ",
                "- {dataId: a, group: G}\\n- dataId: b\\n  group: G\\n  group: H | item 2 (line 3): 'group' is there twice, in line 4 and in line 5",
                "- {dataId: a, dataId: null} | item 1 (line 2): 'dataId' is there twice, in line 2 and in line 2",
                "- {dataId: a, group: &g G}\\n- {dataId: b, group: *g} | item 2 (line 3): line 3: 'group' is the alias *g (expected: the text itself",
                "- &i {dataId: a, group: G}\\n- *i | item 2 (line 3): it is the alias *i (expected: the text itself",
                "- &i {dataId: a, group: G}\\n- {<<: *i, dataId: b} | item 2 (line 3): line 3: '<<' is the alias *i",
                "- {dataId: a, group: G, desc: \u0001} | line 2: character U+0001 is not allowed in YAML",
                "- dataId: a\\n  group: G\\n  desc: x\u0007y | line 4: character U+0007 is not allowed in YAML"
            })
    void namesItemAndLineOfAWrongList(String items, String message) {
        String list = "metadata:\n" + items.strip().replace("\\n", "\n").replace("\\t", "\t") + "\n";
        TransferException refused = refused(zip("G/a", "1", ".metadata.yml", list));
        assertThat(refused.fault()).isEqualTo(Fault.ILLEGAL_METADATA);
        assertThat(refused.text()).startsWith(".metadata.yml: " + message);
    }

    static Stream<String> badLists() {
        return Stream.of(
                "",
                "metadata",
                "- a",
                "other: 1\n",
                "metadata: text\n",
                "metadata:\n- text\n",
                "metadata:\n- dataId: ''\n  group: G\n  type: text\n",
                "metadata:\n- {dataId: a, group: G, type: text}\n- {dataId: a, group: G, type: text}\n",
                "metadata: [\n",
                "metadata: *x\n",
                "metadata:\n- *x\n",
                "a: &a [x]\nb: [*a,*a]\nmetadata:\n- !!javax.script.ScriptEngineManager []\n",
                "metadata:\n\t- a\n",
                "[".repeat(10_000));
    }

    @ParameterizedTest
    @MethodSource("badLists")
    void refusesMalformedMetadata(String list) {
        assertThat(refused(zip("G/a", "1", ".metadata.yml", list)).fault()).isEqualTo(Fault.ILLEGAL_METADATA);
    }

    private static byte[] zipOf(Map<String, byte[]> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    static Stream<Arguments> notPublishable() {
        return Stream.of(
                Arguments.of("blank", " ".getBytes(UTF_8), "content is blank"),
                Arguments.of("empty", new byte[0], "its content is empty"),
                Arguments.of("latin", "gr\u00fcn".getBytes(ISO_8859_1), "byte 2 is not UTF-8"),
                Arguments.of("a b", "1".getBytes(UTF_8), "Param 'dataId' is illegal"),
                Arguments.of(
                        "d".repeat(257), "1".getBytes(UTF_8), "Param 'dataId' is illegal, the param length should"),
                Arguments.of("large", "x".repeat((1 << 20) + 1).getBytes(UTF_8), "more than 1048576 bytes"));
    }

    @ParameterizedTest
    @MethodSource("notPublishable")
    void listsWhatCannotBePublishedWithItsReasonAndImportsTheRest(String dataId, byte[] content, String reason) {
        Map<String, byte[]> named = new LinkedHashMap<>();
        named.put("G/" + dataId, content);
        named.put("G/ok", "1".getBytes(UTF_8));
        Map<String, byte[]> listed = new LinkedHashMap<>(named);
        listed.put(".metadata.yml", list("G/ok", "G/" + dataId).getBytes(UTF_8));
        for (byte[] archive : List.of(zipOf(named), zipOf(listed))) {
            store.configs.clear();
            TransferPreview preview = transfer.previewImport(archive, into(Namespace.DEFAULT, ConflictPolicy.ABORT))
                    .toCompletableFuture()
                    .join();
            TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT);

            assertThat(report.stored()).isOne();
            assertThat(store.configs).containsOnlyKeys(key("G", "ok"));
            assertThat(report.unrecognized()).singleElement().satisfies(entry -> {
                assertThat(entry.name()).isEqualTo("G/" + dataId);
                assertThat(entry.reason()).startsWith(reason);
            });
            assertThat(preview.unrecognized()).isEqualTo(report.unrecognized());
            assertThat(preview.counts().create()).isOne();
        }
    }

    @ParameterizedTest
    @MethodSource("notPublishable")
    void refusesAnArchiveOfWhichNothingCanBePublished(String dataId, byte[] content, String reason) {
        TransferException refused = refused(zipOf(Map.of("G/" + dataId, content)));
        assertThat(refused.fault()).isEqualTo(Fault.ILLEGAL_CONFIG);
        assertThat(refused.text()).startsWith("G/" + dataId + ": " + reason);
    }

    @Test
    void aWrongContentRefusesAllWhereTheCallerAsksForValidation() {
        byte[] archive = zip("G/ok", "1", "G/a.json", "{");
        TransferTarget target =
                new TransferTarget(Namespace.DEFAULT, ConflictPolicy.ABORT, true, new Author("anna", "10.0.0.9"));
        assertThatThrownBy(() -> transfer.importArchive(archive, target)
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("G/a.json: ");
        assertThat(store.configs).isEmpty();
    }

    @Test
    void refusesAnArchiveOfWhichNoNameIsUtf8() {
        TransferException name = refused(zip(ISO_8859_1, "G/gr\u00fcn", "x"));
        assertThat(name.fault()).isEqualTo(Fault.NO_CONFIGURATION);
        assertThat(name.text()).contains("but 'G/gr\\xFCn' (its name is not UTF-8)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exp/", "a/b/", "./exp/", "exp\\"})
    void readsTheOneFolderThatHoldsTheListAsTheArchive(String folder) {
        byte[] listed = zip(
                folder, "", folder + "G/a.yml", "1", folder + ".metadata.yml", list("G/a.yml"), "__MACOSX/._exp", "x");
        TransferReport report = imported(listed, Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(report.stored()).isOne();
        assertThat(report.unrecognized())
                .containsExactly(new UnrecognizedEntry("__MACOSX/._exp", "a file of an operating system or a tool"));
        assertThat(store.configs).containsOnlyKeys(key("G", "a.yml"));

        byte[] old = zip(folder + "G/a.yml", "2", folder + ".meta.yml", "G.a~yml.app=shop\r\n");
        assertThat(imported(old, Namespace.DEFAULT, ConflictPolicy.OVERWRITE).unrecognized())
                .isEmpty();
        assertThat(store.configs).containsOnlyKeys(key("G", "a.yml"));
        assertThat(store.configs.get(key("G", "a.yml")).attributes().appName()).isEqualTo("shop");
    }

    @Test
    void aFolderBesideOtherFilesIsNotReadAsTheArchive() {
        byte[] archive = zip("exp/G/a.yml", "1", "exp/.metadata.yml", list("G/a.yml"), "H/b", "2");

        TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(store.configs).containsOnlyKeys(key("H", "b"));
        assertThat(report.unrecognized())
                .extracting(UnrecognizedEntry::name)
                .containsExactly("exp/G/a.yml", "exp/.metadata.yml");
    }

    @ParameterizedTest
    @EnumSource(ArchiveLayout.class)
    void configurationsWithNamesOfFilesOfSystemsAndListsComeBackFromAnExport(ArchiveLayout layout) {
        List<String> names = List.of(
                "G/.DS_Store",
                "G/desktop.ini",
                "META-INF/MANIFEST.MF",
                "G/._a.yml",
                ".git/config",
                "G/.metadata.yml",
                "G/.meta.yml");
        names.forEach(name -> stored(name.split("/")[0], name.split("/")[1], "of " + name, ConfigType.TEXT, "", null));

        TransferReport report = imported(exported(layout), DEV, ConflictPolicy.ABORT);
        assertThat(report).isEqualTo(new TransferReport(names.size(), List.of(), List.of(), List.of(), names.size()));
    }

    /** An archive of which the entry in the directory with that name is changed. */
    private static byte[] changed(byte[] archive, String name, DirectoryChange change) {
        ByteBuffer bytes = ByteBuffer.wrap(archive.clone()).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < archive.length - 46; at++) {
            if (bytes.getInt(at) == 0x02014b50
                    && new String(archive, at + 46, bytes.getShort(at + 28), UTF_8).equals(name)) {
                change.apply(bytes, at);
                return bytes.array();
            }
        }
        throw new AssertionError("no entry " + name);
    }

    private interface DirectoryChange {
        void apply(ByteBuffer archive, int entry);
    }

    private static DirectoryChange encrypted() {
        return (archive, entry) -> archive.putShort(entry + 8, (short) (archive.getShort(entry + 8) | 1));
    }

    private static DirectoryChange method(int method) {
        return (archive, entry) -> archive.putShort(entry + 10, (short) method);
    }

    static Stream<Arguments> unreadableEntries() {
        DirectoryChange link = (archive, entry) -> {
            archive.putShort(entry + 4, (short) (3 << 8 | 20));
            archive.putInt(entry + 38, 0120777 << 16);
        };
        DirectoryChange wrongBytes = (archive, entry) -> {
            archive.putShort(entry + 8, (short) (archive.getShort(entry + 8) | 1 << 11));
            archive.put(entry + 46 + 2, (byte) 0xff);
        };
        return Stream.of(
                Arguments.of(encrypted(), "G/bad", "it is encrypted; write the archive without a password"),
                Arguments.of(method(12), "G/bad", "its compression method is 12 (BZIP2); write"),
                Arguments.of(method(99), "G/bad", "its compression method is 99; write"),
                Arguments.of(link, "G/bad", "it is a symbolic link; write"),
                Arguments.of(wrongBytes, "G/\\xFFad", "its name is not UTF-8"));
    }

    @ParameterizedTest
    @MethodSource("unreadableEntries")
    void listsAnEntryThatCannotBeReadAndImportsTheRest(DirectoryChange change, String shown, String reason) {
        byte[] archive = changed(zip("G/a", "1", "G/bad", "2", "G/c", "3"), "G/bad", change);

        TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(contents()).isEqualTo(Map.of("a", "1", "c", "3"));
        assertThat(report.unrecognized()).singleElement().satisfies(entry -> {
            assertThat(entry.name()).isEqualTo(shown);
            assertThat(entry.reason()).startsWith(reason);
        });
    }

    @Test
    void listsAnUnreadableEntryOfAnArchiveWithMoreThan65535Entries() {
        String[] entries = new String[2 * 66_000];
        for (int i = 0; i < entries.length; i += 2) {
            entries[i] = "G/" + i;
            entries[i + 1] = "";
        }
        entries[1] = "1";
        entries[3] = "2";
        byte[] archive = changed(zip(entries), "G/0", encrypted());

        TransferReport report = imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(contents()).isEqualTo(Map.of("2", "2"));
        assertThat(report.unrecognized()).hasSize(65_999);
        assertThat(report.unrecognized().get(0).reason()).startsWith("it is encrypted");
    }

    @Test
    void aListThatCannotBeReadRefusesAllWithItsName() {
        byte[] archive = changed(zip("G/a", "1", ".metadata.yml", list("G/a")), ".metadata.yml", encrypted());
        assertThat(refused(archive).text())
                .isEqualTo("The archive is refused: entry '.metadata.yml': it is encrypted; write the archive"
                        + " without a password");
    }

    @Test
    void commentsOfEntriesMayBeInAnyCharset() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes, ISO_8859_1)) {
            ZipEntry entry = new ZipEntry("G/a");
            entry.setComment("gr\u00fcn");
            zip.putNextEntry(entry);
            zip.write('1');
        }
        assertThat(imported(bytes.toByteArray(), Namespace.DEFAULT, ConflictPolicy.ABORT)
                        .stored())
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"G.a~yaml.app=shop\r\n", "\ufeffG.a~yaml.app=shop\r\n"})
    void readsApplicationNamesBehindAByteOrderMark(String lines) {
        imported(zip("G/a.yaml", "1", ".meta.yml", lines), Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(store.configs.get(key("G", "a.yaml")).attributes().appName()).isEqualTo("shop");
    }

    @Test
    void readsAListBehindAByteOrderMark() {
        byte[] archive = zip("G/a", "1", ".metadata.yml", "\ufeff" + list("G/a"));
        assertThat(imported(archive, Namespace.DEFAULT, ConflictPolicy.ABORT).stored())
                .isOne();
    }

    private String refusedWithin(ArchiveLimits limits, byte[] archive) throws IOException {
        Path file = Files.write(scratch.resolve("limited.zip"), archive);
        try {
            ArchiveReader.open(file, limits).close();
            throw new AssertionError("it was taken");
        } catch (TransferException e) {
            assertThat(e.fault()).isEqualTo(Fault.UNREADABLE);
            return e.text();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void refusesZipBombBeforeUnpackingIt() throws IOException {
        ArchiveLimits limits = new ArchiveLimits(10, 3_000_000, 1 << 20, 1_000);
        String megabyte = "\0".repeat(1 << 20);
        byte[] bomb = zip("G/a", megabyte, "G/b", megabyte, "G/c", megabyte);
        assertThat(bomb).hasSizeLessThan(10_000);

        assertThat(refusedWithin(limits, bomb)).contains("more than 3000000 bytes unpacked");
        assertThat(refusedWithin(limits, zip("G/a", "1", ".metadata.yml", "#".repeat(1_001))))
                .contains("entry '.metadata.yml': more than 1000 bytes");
    }

    @Test
    void anEntryThatLiesAboutItsSizeIsRefused() {
        byte[] archive = zip("G/ok", "1", "G/lie", "x".repeat(1_000));
        // The uncompressed size in the central directory, 24 bytes after its second signature.
        ByteBuffer bytes = ByteBuffer.wrap(archive).order(ByteOrder.LITTLE_ENDIAN);
        int entry = -1;
        for (int i = 0; i < archive.length - 4; i++) {
            if (bytes.getInt(i) == 0x02014b50) {
                entry = i;
            }
        }
        bytes.putInt(entry + 24, 10);

        TransferException refused = refused(archive);
        assertThat(refused.fault()).isEqualTo(Fault.UNREADABLE);
        assertThat(refused.text()).contains("G/lie");
    }

    @Test
    void refusesTooManyEntriesAndListsTheSecondOfOneName() throws IOException {
        assertThat(refusedWithin(new ArchiveLimits(2, 100, 100, 100), zip("G/a", "1", "G/b", "2", "G/c", "3")))
                .contains("3 entries (expected: at most 2)");

        byte[] archive = zip("G/aa", "1", "G/bb", "2");
        String text = new String(archive, ISO_8859_1).replace("G/bb", "G/aa");
        TransferReport report = imported(text.getBytes(ISO_8859_1), Namespace.DEFAULT, ConflictPolicy.ABORT);
        assertThat(contents()).isEqualTo(Map.of("aa", "1"));
        assertThat(report.unrecognized()).containsExactly(new UnrecognizedEntry("G/aa", "its name is there twice"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void damagedArchivesAreRefusedOrImportedWithoutOtherEffects(long seed) {
        Random random = new Random(seed);
        byte[] good = zip("G/a", "content a", "G/b", "content b".repeat(50), ".metadata.yml", list("G/a", "G/b"));
        for (int round = 0; round < 400; round++) {
            byte[] damaged = good.clone();
            for (int i = 0; i <= random.nextInt(4); i++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            store.configs.clear();
            try {
                imported(damaged, Namespace.DEFAULT, ConflictPolicy.OVERWRITE);
                store.configs.values().forEach(config -> assertThat(new String(config.utf8(), UTF_8))
                        .isIn("content a", "content b".repeat(50)));
            } catch (CompletionException e) {
                assertThat(e.getCause()).isInstanceOf(TransferException.class);
                assertThat(store.configs).isEmpty();
            }
        }
    }

    @Test
    void copiesTakeAllAttributesAndMayHaveOtherNames() {
        ConfigAttributes all =
                new ConfigAttributes(ConfigType.JSON, "app", "desc", "use", "effect", "{}", List.of("a", "b"), "key");
        store.add(key("G", "a"), "1".getBytes(UTF_8), all);
        long id = store.configs.get(key("G", "a")).id();

        TransferReport report = transfer.copy(
                        List.of(new CopyItem(id, null, ""), new CopyItem(id, "H", "b"), new CopyItem(77, "x", "y")),
                        into(DEV, ConflictPolicy.ABORT))
                .toCompletableFuture()
                .join();

        assertThat(report.stored()).isEqualTo(2);
        assertThat(store.configs.get(new ConfigKey(DEV, "G", "a")).attributes()).isEqualTo(all);
        assertThat(store.configs.get(new ConfigKey(DEV, "H", "b")).utf8()).isEqualTo("1".getBytes(UTF_8));
    }

    @Test
    void copyTreatsUnreadableConfigurationsAsAbsent() {
        stored("G", "a", "1", ConfigType.TEXT, "", null);

        assertThatThrownBy(() -> transfer.copy(
                                List.of(new CopyItem(1, null, null)),
                                new TransferTarget(
                                        DEV,
                                        ConflictPolicy.ABORT,
                                        false,
                                        new Author(null, null, callerWith("dev:*:*", "rw"))))
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("None of the selected configurations is there");
        assertThatThrownBy(() -> transfer.copy(List.of(), into(DEV, ConflictPolicy.ABORT))
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("No configuration is selected");
    }

    @Test
    void aNamespaceIsCopiedWhole() {
        stored("G", "a", "1", ConfigType.TEXT, "", null);
        stored("G", "b", "2", ConfigType.TEXT, "", null);

        assertThat(transfer.previewCopyAll(ConfigSelection.all(Namespace.DEFAULT), into(DEV, ConflictPolicy.ABORT))
                        .toCompletableFuture()
                        .join()
                        .counts()
                        .create())
                .isEqualTo(2);
        assertThat(transfer.copyAll(ConfigSelection.all(Namespace.DEFAULT), into(DEV, ConflictPolicy.ABORT))
                        .toCompletableFuture()
                        .join()
                        .stored())
                .isEqualTo(2);
        assertThat(store.configs).hasSize(4);
    }
}
