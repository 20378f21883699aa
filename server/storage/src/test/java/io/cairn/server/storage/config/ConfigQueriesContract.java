package io.cairn.server.storage.config;

import static io.cairn.server.storage.SampleCommands.ANNA;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.TestStore.get;
import static io.cairn.server.storage.sqlite.WholePage.ANY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigCriteria.Words;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.limit.Limit;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.sqlite.WholePage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries of configurations, on every database. */
abstract class ConfigQueriesContract {

    private static final PageRequest FIRST = new PageRequest(1, 100);
    private static final Namespace DEV = Namespace.ofNullable("dev");

    @TempDir
    Path folder;

    private TestStore store;
    private ConfigQueries queries;
    private ConfigService configs;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        ReadPool reads = new ReadPool(Runnable::run);
        queries = new ConfigQueries(store.view, new JdbcConfigQueryStore(store.readers), reads);
        configs = new ConfigService(
                store.store,
                store.view,
                new ConfigLimits(1 << 20, 1 << 20),
                new ContentLoader(store.store, store.view, Runnable::run, 1, 10));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void publish(
            Namespace namespace,
            String group,
            String dataId,
            String content,
            ConfigType type,
            String app,
            String... tags) {
        ConfigAttributes attributes = new ConfigAttributes(type, app, null, null, null, null, List.of(tags), "");
        store.publish(SampleCommands.publish(new ConfigKey(namespace, group, dataId), content, null, attributes, ANNA));
    }

    private void publish(String group, String dataId) {
        publish(Namespace.DEFAULT, group, dataId, "x", ConfigType.TEXT, "");
    }

    private WholePage<StoredConfig> search(
            ConfigCriteria criteria, ReadScope visible, ConfigOrder order, PageRequest page, boolean withContents) {
        return WholePage.of(
                get(queries.search(new ConfigQueries.Search(criteria, visible, order, page), withContents, ANY)));
    }

    private List<String> names(ConfigCriteria criteria) {
        WholePage<StoredConfig> page = search(criteria, ReadScope.ALL, ConfigOrder.BY_NAME, FIRST, false);
        assertThat(page.totalCount()).isEqualTo(page.items().size());
        return page.items().stream()
                .map(config -> config.key().group() + '/' + config.key().dataId())
                .toList();
    }

    private static Words words(String dataId, String group) {
        return new Words(Namespace.DEFAULT, dataId, group, null, null, null, null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "app.yaml ; ''    ; G1/app.yaml,G2/app.yaml",
                "app.yaml ; G2    ; G2/app.yaml",
                "''       ; G2    ; G2/app.yaml,G2/web_1",
                "app*     ; ''    ; G1/app.yaml,G2/app.yaml",
                "*app*    ; ''    ; G1/app.yaml,G2/app.yaml,G1/my-app-2",
                "*.yaml   ; G*    ; G1/app.yaml,G2/app.yaml",
                "web_1    ; ''    ; G2/web_1",
                "web_*    ; ''    ; G2/web_1",
                "web%     ; ''    ; ''",
                "APP*     ; ''    ; ''",
                "a*p      ; ''    ; ''",
                "*        ; *     ; G1/app.yaml,G2/app.yaml,G1/my-app-2,G2/web_1,G1/webx1",
            })
    void blurTreatsOnlyStarsAsWildcards(String dataId, String group, String expected) {
        publish("G1", "app.yaml");
        publish("G2", "app.yaml");
        publish("G1", "my-app-2");
        publish("G2", "web_1");
        publish("G1", "webx1");
        publish(DEV, "G1", "app.dev", "x", ConfigType.TEXT, "");

        assertThat(String.join(",", names(ConfigCriteria.blur(words(dataId, group)))))
                .isEqualTo(expected);
    }

    @Test
    void accurateTreatsAStarLiterally() {
        publish("G1", "app.yaml");

        assertThat(names(ConfigCriteria.accurate(words("app*", null)))).isEmpty();
        assertThat(names(ConfigCriteria.accurate(words("app.yaml", " ")))).containsExactly("G1/app.yaml");
    }

    @Test
    void aSearchStaysWithinItsNamespace() {
        publish(Namespace.DEFAULT, "G", "a", "here", ConfigType.TEXT, "shop", "t");
        publish(DEV, "G", "a", "there", ConfigType.TEXT, "shop", "t");

        for (Words words : List.of(
                new Words(DEV, "a", null, null, null, null, null),
                new Words(DEV, null, null, "shop", null, null, null),
                new Words(DEV, null, null, null, "t", null, null),
                new Words(DEV, null, null, null, null, null, "er"))) {
            List<StoredConfig> found = search(
                            ConfigCriteria.blur(words), ReadScope.ALL, ConfigOrder.BY_NAME, FIRST, true)
                    .items();
            assertThat(found).as("%s", words).singleElement().satisfies(config -> {
                assertThat(config.key().namespace()).isEqualTo(DEV);
                assertThat(config.content()).isEqualTo("there");
            });
        }
    }

    @Test
    void filtersByApplicationTagsTypesAndContent() {
        publish(Namespace.DEFAULT, "G", "a", "port: 8080\nname: ü", ConfigType.YAML, "shop", "red", "blue");
        publish(Namespace.DEFAULT, "G", "b", "port=8080", ConfigType.PROPERTIES, "shop", "green");
        publish(Namespace.DEFAULT, "G", "c", "{\"port\":\"100%_8080\"}", ConfigType.JSON, "shop-2", "red");
        publish(Namespace.DEFAULT, "G", "d", "nothing", ConfigType.TEXT, "");

        assertThat(found("shop", null, null, null)).containsExactly("a", "b");
        assertThat(found("shop*", null, null, null)).containsExactly("a", "b", "c");
        assertThat(found(null, "red", null, null)).containsExactly("a", "c");
        assertThat(found(null, "green, blue", null, null)).containsExactly("a", "b");
        assertThat(found(null, "*e*", null, null)).containsExactly("a", "b", "c");
        assertThat(found("shop", "red", null, null)).containsExactly("a");
        assertThat(found(null, null, "json,yaml", null)).containsExactly("a", "c");
        assertThat(found(null, null, "text", null)).containsExactly("d");
        assertThat(found(null, null, null, "8080")).containsExactly("a", "b", "c");
        assertThat(found(null, null, null, "100%_8")).containsExactly("c");
        assertThat(found(null, null, null, "100_")).isEmpty();
        assertThat(found(null, null, null, "port*ü")).containsExactly("a");
        assertThat(found(null, null, null, "PORT")).isEmpty();
        assertThat(found("shop", "red,green", "properties", "port")).containsExactly("b");
        assertThat(found("shop", "red,green", "properties", "nothing")).isEmpty();
    }

    private List<String> found(String app, String tags, String types, String content) {
        return names(ConfigCriteria.blur(new Words(Namespace.DEFAULT, null, null, app, tags, types, content))).stream()
                .map(name -> name.substring(2))
                .toList();
    }

    @Test
    void findsChangedConfigurationsByTheirPresentState() {
        publish(Namespace.DEFAULT, "G", "a", "old", ConfigType.YAML, "shop", "red");
        publish(Namespace.DEFAULT, "G", "a", "new", ConfigType.JSON, "mall", "blue");

        assertThat(found("shop", null, null, null)).isEmpty();
        assertThat(found(null, "red", null, null)).isEmpty();
        assertThat(found(null, null, "yaml", null)).isEmpty();
        assertThat(found(null, null, null, "old")).isEmpty();
        assertThat(found("mall", "blue", "json", "new")).containsExactly("a");

        store.remove(SampleCommands.remove(new ConfigKey(Namespace.DEFAULT, "G", "a"), ANNA));

        assertThat(found("mall", "blue", "json", "new")).isEmpty();
        assertThat(found(null, null, null, null)).isEmpty();
    }

    @Test
    void allPagesTogetherAreTheWholeList() {
        for (int i = 0; i < 257; i++) {
            publish("G" + i % 3, "c" + i);
        }
        for (ConfigOrder order : orders()) {
            List<ConfigKey> whole = search(
                            ConfigCriteria.all(Namespace.DEFAULT), ReadScope.ALL, order, new PageRequest(1, 300), false)
                    .items()
                    .stream()
                    .map(StoredConfig::key)
                    .toList();
            List<ConfigKey> paged = new ArrayList<>();
            for (int number = 1; number <= 6; number++) {
                WholePage<StoredConfig> page = search(
                        ConfigCriteria.all(Namespace.DEFAULT),
                        ReadScope.ALL,
                        order,
                        new PageRequest(number, 50),
                        false);
                assertThat(page.totalCount()).isEqualTo(257);
                assertThat(page.pagesAvailable()).isEqualTo(6);
                assertThat(page.number()).isEqualTo(number);
                page.items().forEach(config -> paged.add(config.key()));
            }
            assertThat(whole).hasSize(257).doesNotHaveDuplicates();
            assertThat(paged).as("%s", order).isEqualTo(whole);
        }
    }

    private static List<ConfigOrder> orders() {
        List<ConfigOrder> orders = new ArrayList<>();
        for (ConfigOrder.By by : ConfigOrder.By.values()) {
            orders.add(new ConfigOrder(by, false));
            orders.add(new ConfigOrder(by, true));
        }
        return orders;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''       ; ''   ; a,b,c",
                "dataId   ; desc ; c,b,a",
                "group    ; asc  ; c,a,b",
                "group    ; desc ; a,b,c",
                "type     ; asc  ; b,a,c",
                "modified ; asc  ; a,b,c",
                "modified ; DESC ; c,b,a",
            })
    void sortsInTheRequestedOrder(String sort, String direction, String expected) {
        publish(Namespace.DEFAULT, "G2", "a", "x", ConfigType.YAML, "");
        store.clock.advance(Duration.ofSeconds(5));
        publish(Namespace.DEFAULT, "G2", "b", "x", ConfigType.JSON, "");
        store.clock.advance(Duration.ofSeconds(5));
        publish(Namespace.DEFAULT, "G1", "c", "x", ConfigType.YAML, "");

        List<StoredConfig> items = search(
                        ConfigCriteria.all(Namespace.DEFAULT),
                        ReadScope.ALL,
                        ConfigOrder.of(sort, direction),
                        FIRST,
                        false)
                .items();

        assertThat(items).extracting(config -> config.key().dataId()).containsExactly(expected.split(","));
    }

    @Test
    void refusesInvalidOrdersAndPages() {
        assertThatThrownBy(() -> ConfigOrder.of("size", null))
                .isInstanceOf(CairnException.class)
                .hasMessage("sort: 'size' (expected: dataId, group, type or modified)");
        assertThatThrownBy(() -> ConfigOrder.of(null, "up")).hasMessage("order: 'up' (expected: asc or desc)");
        assertThatThrownBy(() -> new PageRequest(0, 10))
                .hasMessage("Required parameter 'pageNo' should be positive integer, current is 0");
        assertThatThrownBy(() -> new PageRequest(1, 0))
                .hasMessage("Required parameter 'pageSize' should be positive integer, current is 0");
    }

    @Test
    void aPageAfterTheLastIsEmptyAndHasTheTotal() {
        publish("G", "a");

        WholePage<StoredConfig> page = search(
                ConfigCriteria.all(Namespace.DEFAULT),
                ReadScope.ALL,
                ConfigOrder.BY_NAME,
                new PageRequest(1_000_000_000, 10_000),
                true);

        assertThat(page.items()).isEmpty();
        assertThat(page.totalCount()).isEqualTo(1);
        assertThat(page.pagesAvailable()).isEqualTo(1);
    }

    @Test
    void theDetailHasAllPublishedAttributes() {
        ConfigKey key = new ConfigKey(DEV, "G", "a.yaml");
        ConfigAttributes attributes = new ConfigAttributes(
                ConfigType.YAML, "shop", "about", "use", "effect", "{\"s\":1}", List.of("t1", "t2"), "secret");
        store.publish(SampleCommands.publish(key, "a: 1", null, attributes, ANNA));
        store.clock.advance(Duration.ofSeconds(7));
        store.publish(SampleCommands.publish(key, "a: ü", null, attributes, ANNA));

        StoredConfig detail = get(queries.detail(key, ANY)).orElseThrow();

        assertThat(detail.key()).isEqualTo(key);
        assertThat(detail.content()).isEqualTo("a: ü");
        assertThat(detail.md5()).isEqualTo(md5("a: ü"));
        assertThat(detail.type()).isEqualTo(ConfigType.YAML);
        assertThat(detail.appName()).isEqualTo("shop");
        assertThat(detail.description()).isEqualTo("about");
        assertThat(detail.use()).isEqualTo("use");
        assertThat(detail.effect()).isEqualTo("effect");
        assertThat(detail.schema()).isEqualTo("{\"s\":1}");
        assertThat(detail.tags()).containsExactly("t1", "t2");
        assertThat(detail.encryptedDataKey()).isEqualTo("secret");
        assertThat(detail.createUser()).isEqualTo("anna");
        assertThat(detail.createIp()).isEqualTo("10.0.0.9");
        assertThat(detail.modifiedAt()).isEqualTo(detail.createdAt().plusSeconds(7));
        assertThat(get(queries.detail(new ConfigKey(DEV, "G", "b"), ANY))).isEmpty();
        assertThat(get(queries.all(ConfigCriteria.all(DEV), ReadScope.ALL, ANY)).all(ANY))
                .singleElement()
                .satisfies(config -> assertThat(config.content()).isNull());
        assertThat(get(queries.entries(DEV, ReadScope.ALL)))
                .extracting(ConfigEntry::key)
                .containsExactly(key);
    }

    @Test
    void findsAndDeletesSeveralByTheirIds() {
        for (String dataId : List.of("a", "b", "c", "d")) {
            publish("G", dataId);
        }
        List<Long> ids = get(queries.all(ConfigCriteria.all(Namespace.DEFAULT), ReadScope.ALL, ANY)).all(ANY).stream()
                .map(StoredConfig::id)
                .toList();
        List<Long> asked = List.of(ids.get(2), 4711L, ids.get(0), ids.get(0));

        assertThat(get(queries.keysOf(asked))).extracting(ConfigKey::dataId).containsExactly("a", "c");

        List<ConfigKey> removed =
                get(new BatchRemoval(queries, configs).remove(asked, ANNA)).configs();

        assertThat(removed).extracting(ConfigKey::dataId).containsExactly("a", "c");
        assertThat(names(ConfigCriteria.all(Namespace.DEFAULT))).containsExactly("G/b", "G/d");
        assertThat(store.column("SELECT data_id FROM his_config_info WHERE op_type = 'D' ORDER BY data_id"))
                .containsExactly("a", "c");
    }

    @Test
    void largeContentsAreReadAFewAtATimeAndWhenThereIsRoomForThem() {
        List<String> contents = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // Every fourth one is small.
            contents.add(i + ":" + "ü".repeat(i % 4 == 3 ? 10 : 100_000));
            publish(Namespace.DEFAULT, "G", "c" + (10 + i), contents.get(i), ConfigType.TEXT, "", "tag" + i);
        }
        AnswerMemory memory = new AnswerMemory(new Limit("unread-answer-bytes", "a.setting", 2_000_000));
        MemoryLease lease = memory.lease();
        RowSource<StoredConfig> rows = get(queries.search(
                        new ConfigQueries.Search(
                                ConfigCriteria.all(Namespace.DEFAULT), ReadScope.ALL, ConfigOrder.BY_NAME, FIRST),
                        true,
                        lease))
                .rows();

        List<StoredConfig> read = new ArrayList<>();
        for (List<StoredConfig> some = rows.next(lease); !some.isEmpty(); some = rows.next(lease)) {
            read.addAll(some);
            long large = some.stream()
                    .filter(config -> config.content().length() > 1000)
                    .count();
            assertThat(large).isLessThanOrEqualTo(3);
            assertThat(lease.taken()).isGreaterThanOrEqualTo(large * 3 * 200_000);
            lease.adjustTo(0);
            if (read.size() < 20) {
                MemoryLease other = memory.lease();
                other.reserve(2_000_000);
                RowSource<StoredConfig> blocked = rows;
                assertThatThrownBy(() -> {
                            // A small one may come before the next large one.
                            read.addAll(blocked.next(lease));
                            blocked.next(lease);
                        })
                        .isInstanceOf(NoRoomException.class);
                assertThat(lease.taken()).isZero();
                other.close();
            }
        }

        assertThat(rows.isReady()).isTrue();
        assertThat(read).extracting(StoredConfig::content).isEqualTo(contents);
        assertThat(read).allSatisfy(config -> assertThat(config.tags()).hasSize(1));
        assertThat(read)
                .extracting(StoredConfig::md5)
                .isEqualTo(contents.stream().map(SampleCommands::md5).toList());
    }

    @Test
    void aConfigurationThatIsRemovedWhileAListIsReadIsLeftOut() {
        for (int i = 0; i < 30; i++) {
            publish(Namespace.DEFAULT, "G", "c" + (10 + i), i + ":" + "x".repeat(300_000), ConfigType.TEXT, "");
        }
        RowSource<StoredConfig> rows = get(queries.search(
                        new ConfigQueries.Search(
                                ConfigCriteria.all(Namespace.DEFAULT), ReadScope.ALL, ConfigOrder.BY_NAME, FIRST),
                        true,
                        ANY))
                .rows();

        store.remove(SampleCommands.remove(new ConfigKey(Namespace.DEFAULT, "G", "c20"), ANNA));
        store.publish(SampleCommands.publish(
                new ConfigKey(Namespace.DEFAULT, "G", "c21"), "new", null, SampleCommands.PLAIN, ANNA));

        List<StoredConfig> read = rows.all(ANY);
        assertThat(read).hasSize(29);
        assertThat(read.get(10).key().dataId()).isEqualTo("c21");
        assertThat(read.get(10).content()).isEqualTo("new");
        assertThat(read.get(28).content()).hasSize(300_003);
    }

    @Test
    void aLargeDetailIsReadWhenThereIsRoomForIt() {
        String content = "ü".repeat(200_000);
        ConfigKey key = new ConfigKey(Namespace.DEFAULT, "G", "a");
        store.publish(SampleCommands.publish(key, content, null, SampleCommands.PLAIN, ANNA));
        GrayRule beta = GrayRule.asked("10.0.0.1", null).orElseThrow();
        byte[] utf8 = content.getBytes(StandardCharsets.UTF_8);
        store.publish(new PublishConfig(key, utf8, ContentDigest.of(utf8), null, SampleCommands.PLAIN, beta, ANNA));
        AnswerMemory memory = new AnswerMemory(new Limit("unread-answer-bytes", "a.setting", 2_000_000));
        MemoryLease other = memory.lease();
        other.reserve(1_000_000);
        MemoryLease lease = memory.lease();

        assertThatThrownBy(() -> get(queries.detail(key, lease))).isInstanceOf(NoRoomException.class);
        assertThatThrownBy(() -> get(queries.gray(key, GrayRule.BETA, lease))).isInstanceOf(NoRoomException.class);
        assertThatThrownBy(() -> get(queries.grays(key, lease))).isInstanceOf(NoRoomException.class);
        assertThat(get(queries.attributes(key, lease)).orElseThrow().content()).isNull();
        assertThat(lease.taken()).isZero();

        other.close();
        assertThat(get(queries.detail(key, lease)).orElseThrow().content()).isEqualTo(content);
        assertThat(lease.taken()).isEqualTo(3 * 400_000);
        lease.adjustTo(0);
        assertThat(get(queries.gray(key, GrayRule.BETA, lease)).orElseThrow().content())
                .isEqualTo(content);
        assertThat(lease.taken()).isEqualTo(3 * 400_000);
    }

    @Test
    void grayReleasesAreListedByPriority() {
        ConfigKey key = SampleCommands.key("a");
        store.publish("a", "all");
        for (GrayRule rule : List.of(
                new GrayRule("low", "tag", "1.0.0", "green", 5),
                GrayRule.asked("10.0.0.1", null).orElseThrow(),
                GrayRule.asked(null, "blue").orElseThrow())) {
            byte[] utf8 = rule.name().getBytes(StandardCharsets.UTF_8);
            store.publish(new PublishConfig(key, utf8, ContentDigest.of(utf8), null, SampleCommands.PLAIN, rule, ANNA));
        }

        List<StoredGray> grays = get(queries.grays(key, ANY)).all(ANY);

        assertThat(grays).extracting(gray -> gray.rule().name()).containsExactly("beta", "tag_blue", "low");
        assertThat(grays).extracting(StoredGray::content).containsExactly("beta", "tag_blue", "low");
        assertThat(get(queries.gray(key, GrayRule.BETA, ANY))
                        .orElseThrow()
                        .rule()
                        .expression())
                .isEqualTo("10.0.0.1");
        assertThat(get(queries.gray(key, "none", ANY))).isEmpty();
        assertThat(get(queries.grays(SampleCommands.key("other"), ANY)).all(ANY))
                .isEmpty();
    }
}
