package io.cairn.server.storage.namespace;

import static io.cairn.server.storage.TestStore.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.config.capacity.CapacityLimits;
import io.cairn.server.config.capacity.CapacityService;
import io.cairn.server.namespace.NamespaceDraft;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The behavior of namespaces, on every database. */
abstract class NamespaceContract {

    private static final Namespace DEV = Namespace.ofNullable("dev");

    @TempDir
    Path folder;

    private TestStore store;
    private NamespaceService namespaces;
    private CapacityService capacities;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        ReadPool pool = new ReadPool(Runnable::run);
        capacities = new CapacityService(
                new JdbcCapacityStore(store.writer, store.readers), CapacityLimits.DEFAULT, store.view, pool);
        namespaces =
                new NamespaceService(new JdbcNamespaceStore(store.writer, store.readers), store.view, capacities, pool);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static StoredNamespace checked(String id, String name, String description) {
        return new NamespaceDraft(id, name, description).check();
    }

    @Test
    void usesTheConfiguredQuotaOrTheDefault() throws Exception {
        get(namespaces.create(checked("dev", "dev", ""), Caller.SERVER));
        get(capacities.set(CapacityScope.ofNamespace(DEV), new CapacityChange(7, null, null, null), Caller.SERVER));

        assertThat(get(namespaces.list())).extracting(NamespaceInfo::quota).containsExactly(200L, 7L);
        assertThat(get(namespaces.find(DEV)).orElseThrow().quota()).isEqualTo(7);
    }

    @Test
    void theDefaultNamespaceExistsFromTheStart() {
        store.publish("a.yaml", "a: 1");

        assertThat(get(namespaces.list()))
                .containsExactly(new NamespaceInfo(Namespace.DEFAULT, "public", "Default Namespace", 200, 1));
        assertThat(get(namespaces.find(Namespace.DEFAULT))).isPresent();
        assertThat(get(namespaces.exists(Namespace.DEFAULT))).isTrue();
    }

    @Test
    void listsACreatedNamespaceAfterTheDefaultOneWithItsCounts() {
        assertThat(get(namespaces.create(checked("prod", "Production", null), Caller.SERVER)))
                .isPresent();
        assertThat(get(namespaces.create(checked("dev", "Development", "d"), Caller.SERVER)))
                .isPresent();
        store.publish(SampleCommands.publish(new ConfigKey(DEV, "G", "a"), "x"));
        store.publish(SampleCommands.publish(new ConfigKey(DEV, "G", "b"), "x"));

        assertThat(get(namespaces.list()))
                .containsExactly(
                        new NamespaceInfo(Namespace.DEFAULT, "public", "Default Namespace", 200, 0),
                        new NamespaceInfo(DEV, "Development", "d", 200, 2),
                        new NamespaceInfo(Namespace.ofNullable("prod"), "Production", "", 200, 0));
        assertThat(get(namespaces.find(DEV))).contains(new NamespaceInfo(DEV, "Development", "d", 200, 2));
        assertThat(get(namespaces.exists(DEV))).isTrue();
    }

    @Test
    void refusesASecondNamespaceOfTheSameId() {
        get(namespaces.create(checked("dev", "Development", "d"), Caller.SERVER));

        assertThat(get(namespaces.create(checked("dev", "Other", "o"), Caller.SERVER)))
                .isEmpty();
        assertThat(get(namespaces.find(DEV)).orElseThrow().name()).isEqualTo("Development");
    }

    @Test
    void idsAreCaseSensitive() {
        get(namespaces.create(checked("dev", "Small", ""), Caller.SERVER));

        assertThat(get(namespaces.create(checked("DEV", "Large", ""), Caller.SERVER)))
                .isPresent();
        assertThat(get(namespaces.find(DEV)).orElseThrow().name()).isEqualTo("Small");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "public"})
    void theDefaultNamespaceCannotBeCreatedEditedOrDeleted(String alias) {
        StoredNamespace asked = new StoredNamespace(Namespace.ofNullable(alias), "mine", "");

        assertThat(get(namespaces.create(asked, Caller.SERVER))).isEmpty();
        assertThat(get(namespaces.edit(asked, Caller.SERVER))).isFalse();
        assertThat(get(namespaces.delete(asked.namespace(), Caller.SERVER))).isFalse();
        assertThat(get(namespaces.list())).extracting(NamespaceInfo::name).containsExactly("public");
    }

    @Test
    void generatesAMissingId() {
        StoredNamespace drawn = checked(" ", "Somewhere", "");

        assertThat(UUID.fromString(drawn.namespace().id())).isNotNull();
        assertThat(get(namespaces.create(drawn, Caller.SERVER))).contains(drawn);
        assertThat(get(namespaces.exists(drawn.namespace()))).isTrue();
    }

    @Test
    void editingChangesNameAndDescription() {
        get(namespaces.create(checked("dev", "Development", "d"), Caller.SERVER));

        assertThat(get(namespaces.edit(checked("dev", "Dev 2", "new"), Caller.SERVER)))
                .isTrue();
        assertThat(get(namespaces.edit(checked("nosuch", "Dev 2", "new"), Caller.SERVER)))
                .isFalse();
        assertThat(get(namespaces.find(DEV))).contains(new NamespaceInfo(DEV, "Dev 2", "new", 200, 0));
    }

    @Test
    void deletingANamespaceKeepsItsConfigurations() {
        get(namespaces.create(checked("dev", "Development", "d"), Caller.SERVER));
        ConfigKey key = new ConfigKey(DEV, "G", "a");
        store.publish(SampleCommands.publish(key, "x"));

        assertThat(get(namespaces.delete(DEV, Caller.SERVER))).isTrue();
        assertThat(get(namespaces.delete(DEV, Caller.SERVER))).isFalse();
        assertThat(get(namespaces.exists(DEV))).isFalse();
        assertThat(get(namespaces.list())).hasSize(1);
        assertThat(store.content(key)).isEqualTo("x");
    }

    @Test
    void everyChangeIsInTheChangeLog() {
        get(namespaces.create(checked("dev", "Development", "d"), Caller.SERVER));
        get(namespaces.edit(checked("dev", "Dev", "d"), Caller.SERVER));
        get(namespaces.delete(DEV, Caller.SERVER));
        get(namespaces.delete(DEV, Caller.SERVER));

        assertThat(store.query("SELECT kind, op_type, tenant_id FROM cairn_change ORDER BY revision"))
                .containsExactly(
                        List.of("namespace", "I", "dev"),
                        List.of("namespace", "U", "dev"),
                        List.of("namespace", "D", "dev"));
    }

    @ParameterizedTest
    @CsvSource({
        "a b, x, namespaceId [a b] mismatch the pattern",
        "ü, x, namespaceId [ü] mismatch the pattern",
        "ok, x@y, namespaceName [x@y] contains illegal char",
        "ok, '', Param 'namespaceName' is required."
    })
    void refusesInvalidNames(String id, String name, String text) {
        assertThatThrownBy(() -> checked(id, name, "")).isInstanceOfSatisfying(CairnException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(failure.text()).isEqualTo(text);
        });
    }

    @Test
    void refusesTooLongValues() {
        assertThatThrownBy(() -> checked("a".repeat(129), "x", "")).hasMessage("too long namespaceId, over 128");
        assertThatThrownBy(() -> checked("a", "x".repeat(129), "")).hasMessage("too long namespaceName, over 128");
        assertThatThrownBy(() -> checked("a", "x", "d".repeat(257))).hasMessage("too long namespaceDesc, over 256");
    }
}
