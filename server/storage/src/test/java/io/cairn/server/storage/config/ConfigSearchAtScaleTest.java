package io.cairn.server.storage.config;

import static io.cairn.server.storage.TestStore.get;
import static io.cairn.server.storage.sqlite.WholePage.ANY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigCriteria.Words;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.sqlite.WholePage;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches among many configurations find the right ones; what they take goes to the log. The number of configurations is
 * {@code cairn.search.configs}, for a measurement 100000.
 */
class ConfigSearchAtScaleTest {

    private static final int CONFIGS = Integer.getInteger("cairn.search.configs", 12_000);
    /** A measurement has many and large ones; filling a test with those would take most of its time. */
    private static final boolean IS_MEASUREMENT = CONFIGS > 50_000;

    private static final int CONTENT_BYTES = 5_000;
    private static final int SMALL_CONTENT_BYTES = 200;
    private static final Logger log = LoggerFactory.getLogger(ConfigSearchAtScaleTest.class);

    @TempDir
    static Path folder;

    private static TestStore store;
    private static ConfigQueries queries;

    @BeforeAll
    static void fill() throws SQLException {
        TestDatabase database = TestDatabase.sqlite(folder);
        String large = "key: value\n".repeat(CONTENT_BYTES / 11);
        String small = "key: value\n".repeat(SMALL_CONTENT_BYTES / 11);
        try (Connection connection = database.writer().open()) {
            database.dialect().begin(connection);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO config_info (data_id, group_id,"
                            + " tenant_id, content, md5, app_name, type, gmt_create, gmt_modified, encrypted_data_key)"
                            + " VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, '')");
                    PreparedStatement tag =
                            connection.prepareStatement("INSERT INTO config_tags_relation (id, tag_name,"
                                    + " tag_type, data_id, group_id, tenant_id) VALUES (?, ?, '', ?, ?, '')")) {
                for (int i = 1; i <= CONFIGS; i++) {
                    String dataId = name(i);
                    String group = "GROUP_" + i % 50;
                    // Every seventh is larger than a page of the database, as is the one that a test looks for.
                    String content = (IS_MEASUREMENT || i % 7 == 0 ? large : small) + "number: <" + i + ">\n";
                    insert.setString(1, dataId);
                    insert.setString(2, group);
                    insert.setString(3, content);
                    insert.setString(4, SampleCommands.md5(content));
                    insert.setString(5, i % 100 == 0 ? "app-" + i % 1_000 : "");
                    insert.setString(6, i % 3 == 0 ? "yaml" : "properties");
                    insert.setLong(7, 1_700_000_000_000L + i);
                    insert.setLong(8, 1_700_000_000_000L + i * 7_919L % CONFIGS);
                    insert.executeUpdate();
                    if (i % 10 == 0) {
                        tag.setLong(1, i);
                        tag.setString(2, "tag-" + i % 500);
                        tag.setString(3, dataId);
                        tag.setString(4, group);
                        tag.executeUpdate();
                    }
                }
            }
            database.dialect().commit(connection);
        }
        store = TestStore.start(database);
        queries = new ConfigQueries(store.view, new JdbcConfigQueryStore(store.readers), new ReadPool(Runnable::run));
    }

    @AfterAll
    static void close() {
        store.close();
    }

    private static String name(int i) {
        return String.format(Locale.ROOT, "service-%06d.config", i);
    }

    private static WholePage<StoredConfig> search(String what, Words words, ConfigOrder order, PageRequest page) {
        ConfigCriteria criteria = ConfigCriteria.blur(words);
        WholePage<StoredConfig> found = search(criteria, ReadScope.ALL, order, page, false);
        int runs = IS_MEASUREMENT ? 5 : 1;
        long start = System.nanoTime();
        for (int i = 0; i < runs; i++) {
            found = search(criteria, ReadScope.ALL, order, page, false);
        }
        log.info(
                "{} of {}: {} found, {} us",
                what,
                CONFIGS,
                found.totalCount(),
                (System.nanoTime() - start) / 1_000 / runs);
        return found;
    }

    private static WholePage<StoredConfig> search(
            ConfigCriteria criteria, ReadScope visible, ConfigOrder order, PageRequest page, boolean withContents) {
        return WholePage.of(
                get(queries.search(new ConfigQueries.Search(criteria, visible, order, page), withContents, ANY)));
    }

    private static Words words(String dataId, String group, String app, String tags, String types, String content) {
        return new Words(Namespace.DEFAULT, dataId, group, app, tags, types, content);
    }

    @Test
    void everyKindOfSearchFindsItsMatches() {
        ConfigOrder byName = ConfigOrder.BY_NAME;
        ConfigOrder byTime = ConfigOrder.of("modified", "desc");
        PageRequest first = new PageRequest(1, 20);
        PageRequest middle = new PageRequest(CONFIGS / 40, 20);
        Words all = words(null, null, null, null, null, null);

        WholePage<StoredConfig> page = search("all, first page", all, byName, first);
        assertThat(page.totalCount()).isEqualTo(CONFIGS);
        assertThat(page.items().get(0).key().dataId()).isEqualTo(name(1));
        page = search("all, page in the middle", all, byName, middle);
        assertThat(page.items().get(0).key().dataId()).isEqualTo(name((CONFIGS / 40 - 1) * 20 + 1));
        page = search("all by time, first page", all, byTime, first);
        assertThat(page.items()).hasSize(20).isSortedAccordingTo((a, b) -> b.modifiedAt()
                .compareTo(a.modifiedAt()));
        page = search("all by time, page in the middle", all, byTime, middle);
        assertThat(page.items()).hasSize(20).isSortedAccordingTo((a, b) -> b.modifiedAt()
                .compareTo(a.modifiedAt()));
        assertThat(search("one dataId", words(name(77), null, null, null, null, null), byName, first)
                        .totalCount())
                .isEqualTo(1);
        assertThat(search("part of the dataId", words("*-00077*", null, null, null, null, null), byName, first)
                        .totalCount())
                .isEqualTo(10);
        assertThat(search("a group and a type", words(null, "GROUP_7", null, null, "yaml", null), byName, first)
                        .totalCount())
                .isBetween(CONFIGS / 151L, CONFIGS / 149L);
        assertThat(search("a tag", words(null, null, null, "tag-100", null, null), byName, first)
                        .totalCount())
                .isEqualTo(CONFIGS / 500);
        assertThat(search("an application", words(null, null, "app-300", null, null, null), byName, first)
                        .totalCount())
                .isEqualTo(CONFIGS / 1_000);
        assertThat(search("a content", words(null, null, null, null, null, "number: <77>"), byName, first)
                        .totalCount())
                .isEqualTo(1);
        assertThat(search("a content by a pattern", words(null, null, null, null, null, "number*<77>"), byName, first)
                        .totalCount())
                .isEqualTo(1);
    }

    @Test
    void asManyAsThereAreCanBeAskedForWhereOneAnswerCanCarryThem() {
        PageRequest everything = new PageRequest(1, Integer.MAX_VALUE);

        WholePage<StoredConfig> some =
                search("all of a tag", words(null, null, null, "tag-100", null, null), ConfigOrder.BY_NAME, everything);

        assertThat(some.items()).hasSize(CONFIGS / 500);
        assertThat(some.pagesAvailable()).isEqualTo(1);
        ConfigCriteria all = ConfigCriteria.all(Namespace.DEFAULT);
        assertThatThrownBy(() -> search(all, ReadScope.ALL, ConfigOrder.BY_NAME, everything, false))
                .hasMessage("pageSize: 2147483647 (expected: 1-10000, for " + CONFIGS + " configurations match)");
        PageRequest largest = new PageRequest(1, 10_000);
        assertThat(search(all, ReadScope.ALL, ConfigOrder.BY_NAME, largest, false)
                        .items())
                .hasSize(10_000);
        PageRequest last = new PageRequest(2, 11_000);
        assertThat(search(all, ReadScope.ALL, ConfigOrder.BY_NAME, last, false).items())
                .hasSize(CONFIGS - 11_000);
    }
}
