package io.cairn.server.storage.namespace;

import static io.cairn.server.storage.TestStore.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityException;
import io.cairn.server.config.CapacityException.Limit;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.config.capacity.CapacityLimits;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.config.capacity.CapacityUse;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.config.CapacityCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behavior of capacities, on every database. */
abstract class CapacityContract {

    private static final Namespace DEV = Namespace.ofNullable("dev");
    private static final CapacityScope GROUP = CapacityScope.ofGroup("G");
    private static final CapacityLimits SMALL = new CapacityLimits(true, 6, 3, 2, 10, 10_000, 1_024);

    @TempDir
    Path folder;

    private TestStore store;
    private CapacityService capacities;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        enforce(SMALL);
    }

    private void enforce(CapacityLimits limits) throws Exception {
        store = TestStore.start(freshDatabase(folder), TestStore.LIMITS, new CapacityCheck(limits));
        capacities = new CapacityService(
                new JdbcCapacityStore(store.writer, store.readers), limits, store.view, new ReadPool(Runnable::run));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletionStage<PublishResult> publish(Namespace namespace, String group, String dataId, String content) {
        return store.store.publish(SampleCommands.publish(new ConfigKey(namespace, group, dataId), content));
    }

    private PublishResult put(Namespace namespace, String group, String dataId, String content) {
        return get(publish(namespace, group, dataId, content));
    }

    private static void assertRefused(PublishResult result, Limit limit) {
        assertThat(result)
                .isInstanceOfSatisfying(PublishResult.OverCapacity.class, refused -> assertThat(refused.limit())
                        .isEqualTo(limit));
    }

    @Test
    void enforcesTheQuotaOfAGroupOfTheDefaultNamespace() {
        for (String dataId : List.of("a", "b", "c")) {
            assertThat(put(Namespace.DEFAULT, "G", dataId, "x")).isInstanceOf(PublishResult.Published.class);
        }

        assertRefused(put(Namespace.DEFAULT, "G", "d", "x"), Limit.GROUP_QUOTA);

        assertThat(put(Namespace.DEFAULT, "G", "a", "y")).isInstanceOf(PublishResult.Published.class);
        assertThat(put(Namespace.DEFAULT, "H", "d", "x")).isInstanceOf(PublishResult.Published.class);
        assertThat(store.entries()).hasSize(4);
        assertThat(store.column("SELECT data_id FROM his_config_info WHERE group_id = 'G' AND data_id = 'd'"))
                .isEmpty();
    }

    @Test
    void enforcesTheQuotaOfAnotherNamespaceAcrossGroups() {
        put(DEV, "G", "a", "x");
        put(DEV, "H", "b", "x");

        assertRefused(put(DEV, "I", "c", "x"), Limit.NAMESPACE_QUOTA);
    }

    @Test
    void aDeletionMakesRoom() {
        put(DEV, "G", "a", "x");
        put(DEV, "G", "b", "x");
        store.remove(SampleCommands.remove(new ConfigKey(DEV, "G", "a"), SampleCommands.ANNA));

        assertThat(put(DEV, "G", "c", "x")).isInstanceOf(PublishResult.Published.class);
        assertRefused(put(DEV, "G", "a", "x"), Limit.NAMESPACE_QUOTA);
    }

    @Test
    void enforcesTheQuotaOfTheWholeServer() {
        for (int i = 0; i < 6; i++) {
            put(Namespace.DEFAULT, "G" + i, "a", "x");
        }

        assertRefused(put(Namespace.DEFAULT, "G7", "a", "x"), Limit.CLUSTER_QUOTA);
    }

    @Test
    void refusesATooLargeContentByItsBytes() {
        assertThat(put(DEV, "G", "a", "1234567890")).isInstanceOf(PublishResult.Published.class);

        assertRefused(put(DEV, "G", "a", "12345678ü0"), Limit.SIZE);
        assertRefused(
                get(store.store.publish(SampleCommands.publishForTag("blue", "a", "12345678901", null))), Limit.SIZE);
        assertThat(store.content(new ConfigKey(DEV, "G", "a"))).isEqualTo("1234567890");
    }

    @Test
    void concurrentPublishesStayWithinTheLimit() {
        List<CompletionStage<PublishResult>> all = IntStream.range(0, 50)
                .mapToObj(i -> publish(Namespace.DEFAULT, "G", "c" + i, "x"))
                .toList();

        assertThat(all.stream().map(TestStore::get).filter(PublishResult.Published.class::isInstance))
                .hasSize(3);
        assertThat(store.entries()).hasSize(3);
    }

    @Test
    void aConfiguredQuotaReplacesTheDefault() {
        get(capacities.set(GROUP, new CapacityChange(1, 3, null, null), Caller.SERVER));

        assertRefused(put(Namespace.DEFAULT, "G", "a", "1234"), Limit.SIZE);
        put(Namespace.DEFAULT, "G", "a", "123");
        assertRefused(put(Namespace.DEFAULT, "G", "b", "x"), Limit.GROUP_QUOTA);
        get(capacities.set(CapacityScope.CLUSTER, new CapacityChange(1, null, null, null), Caller.SERVER));
        assertRefused(put(Namespace.DEFAULT, "H", "b", "x"), Limit.CLUSTER_QUOTA);
        get(capacities.set(GROUP, new CapacityChange(0, 0, null, null), Caller.SERVER));
        get(capacities.set(CapacityScope.CLUSTER, new CapacityChange(0, null, null, null), Caller.SERVER));
        assertThat(put(Namespace.DEFAULT, "G", "b", "1234567890")).isInstanceOf(PublishResult.Published.class);
    }

    @Test
    void enforcesNothingUnlessSwitchedOn() throws Exception {
        close();
        enforce(new CapacityLimits(false, 1, 1, 1, 1, 1, 1));

        for (String dataId : List.of("a", "b", "c")) {
            assertThat(put(DEV, "G", dataId, "content")).isInstanceOf(PublishResult.Published.class);
        }
    }

    @Test
    void aRefusedPublishNamesTheLimit() {
        put(DEV, "G", "a", "x");
        put(DEV, "G", "b", "x");
        PublishResult refused = put(DEV, "G", "c", "x");

        assertThatThrownBy(() -> refused.fold(published -> "", conflict -> ""))
                .isInstanceOf(CapacityException.class)
                .hasMessage("tenant capacity reach quota, namespace: dev (limit: 2)");
    }

    @Test
    void countsTheUsageOnRequest() {
        put(Namespace.DEFAULT, "G", "a", "x");
        put(Namespace.DEFAULT, "G", "b", "x");
        put(Namespace.DEFAULT, "H", "a", "x");
        put(DEV, "G", "a", "x");

        assertThat(get(capacities.of(GROUP)).used()).isEqualTo(2);
        assertThat(get(capacities.of(CapacityScope.ofNamespace(DEV))).used()).isEqualTo(1);
        assertThat(get(capacities.of(CapacityScope.ofNamespace(Namespace.DEFAULT)))
                        .used())
                .isEqualTo(3);
        assertThat(get(capacities.of(CapacityScope.CLUSTER)).used()).isEqualTo(4);
    }

    @Test
    void aScopeWithoutARowGetsOneWithTheDefaults() {
        CapacityUse use = get(capacities.of(GROUP));

        assertThat(use.capacity().quota()).isEqualTo(3);
        assertThat(use.capacity().maxSizeBytes()).isEqualTo(10);
        assertThat(use.used()).isZero();
        assertThat(store.query("SELECT group_id, quota FROM group_capacity")).containsExactly(List.of("G", "0"));
        assertThat(get(capacities.of(GROUP)).capacity().id())
                .isEqualTo(use.capacity().id());
    }

    @Test
    void changesOnlyGivenFields() {
        get(capacities.set(GROUP, new CapacityChange(7, null, null, null), Caller.SERVER));
        Capacity changed = get(capacities.set(GROUP, new CapacityChange(null, 8, 9, null), Caller.SERVER))
                .capacity();

        assertThat(changed.quota()).isEqualTo(7);
        assertThat(changed.maxSizeBytes()).isEqualTo(8);
        assertThat(changed.maxAggrCount()).isEqualTo(9);
        assertThat(changed.maxAggrSize()).isEqualTo(1_024);
        assertThatThrownBy(() -> new CapacityChange(-1, null, null, null))
                .isInstanceOf(CairnException.class)
                .hasMessage("quota: -1 (expected: 0 or more)");
    }
}
