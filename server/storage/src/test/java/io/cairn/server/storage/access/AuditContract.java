package io.cairn.server.storage.access;

import static io.cairn.server.storage.TestStore.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import io.cairn.server.storage.naming.JdbcNamingStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit records of changes other than configurations and accounts, on every database. */
abstract class AuditContract {

    private static final Caller ANNA =
            new Caller(new Principal("anna", Principal.Kind.USER, true, List.of()), "10.0.0.9");
    private static final ServiceKey SERVICE = new ServiceKey(Namespace.ofNullable("dev"), "g", "orders");
    private static final InstanceKey ADDRESS = new InstanceKey("10.0.0.1", 8080, "DEFAULT");
    private static final String TARGET = "dev:g:naming/orders";

    @TempDir
    Path folder;

    private TestStore store;
    private AuditStore audit;
    private JdbcNamingStore naming;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        audit = new JdbcAuditStore(store.writer, store.readers);
        naming = new JdbcNamingStore(store.writer, store.readers);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void write(Caller by, NamingWrite... writes) {
        get(naming.write(List.of(writes), by, () -> {}));
    }

    private List<AuditRecord> records(String action) {
        return audit.find(new AuditStore.Query(null, action, null, null, 0, Long.MAX_VALUE), 0, 100);
    }

    private AuditRecord newest(String target, String action) {
        AuditRecord newest = records("*").get(0);
        assertThat(newest.action()).isEqualTo(action);
        assertThat(newest.target()).isEqualTo(target);
        assertThat(newest.who()).isEqualTo("anna");
        assertThat(newest.kind()).isEqualTo("USER");
        assertThat(newest.address()).isEqualTo("10.0.0.9");
        assertThat(newest.atMillis()).isPositive();
        return newest;
    }

    private static Instance persistent(double weight) {
        return new Instance(ADDRESS, weight, true, true, false, Map.of(), "");
    }

    @Test
    void recordsServicesWithTheirFormerState() {
        ServiceSettings first = ServiceSettings.ofKind(false);
        ServiceSettings second = new ServiceSettings(false, 0.5, Map.of("a", "1"), first.selector(), Map.of());

        write(ANNA, new NamingWrite.SaveService(SERVICE, first));
        AuditRecord created = newest(TARGET, "service.create");
        assertThat(created.before()).isNull();
        assertThat(created.after()).hasSize(32);
        write(ANNA, new NamingWrite.SaveService(SERVICE, second));
        AuditRecord updated = newest(TARGET, "service.update");
        assertThat(updated.before()).isEqualTo(created.after());
        assertThat(updated.after()).isNotEqualTo(created.after());
        write(ANNA, new NamingWrite.RemoveService(SERVICE));
        AuditRecord removed = newest(TARGET, "service.delete");
        assertThat(removed.before()).isEqualTo(updated.after());
        assertThat(removed.after()).isNull();
        assertThat(records("service.*")).hasSize(3);
        assertThat(records("service.create")).containsExactly(created);
        assertThat(records("serv%")).isEmpty();
    }

    @Test
    void recordsAChangedPersistentInstanceButNotEachStartOfItsClient() {
        write(ANNA, new NamingWrite.SaveInstance(SERVICE, persistent(1)));
        write(ANNA, new NamingWrite.SaveInstance(SERVICE, persistent(1)));
        AuditRecord registered = newest(TARGET, "instance.register");
        assertThat(registered.detail()).isEqualTo("10.0.0.1:8080#DEFAULT");
        write(ANNA, new NamingWrite.SaveInstance(SERVICE, persistent(2)));
        AuditRecord updated = newest(TARGET, "instance.update");
        assertThat(updated.before()).isEqualTo(registered.after());
        write(ANNA, new NamingWrite.RemoveInstance(SERVICE, ADDRESS));
        assertThat(newest(TARGET, "instance.deregister").before()).isEqualTo(updated.after());
        assertThat(records("instance.*")).hasSize(3);
    }

    @Test
    void recordsOverridesOfAnInstance() {
        write(ANNA, new NamingWrite.SaveOverride(SERVICE, ADDRESS, new InstanceOverride(9.0, false, Map.of())));
        AuditRecord set = newest(TARGET, "instance.override");
        assertThat(set.before()).isNull();
        assertThat(set.detail()).isEqualTo("10.0.0.1:8080#DEFAULT");
        write(ANNA, new NamingWrite.SaveOverride(SERVICE, ADDRESS, InstanceOverride.NONE));
        AuditRecord taken = newest(TARGET, "instance.override");
        assertThat(taken.before()).isEqualTo(set.after());
        assertThat(taken.after()).isNull();
    }

    @Test
    void recordsSwitchesWithTheirValue() {
        write(ANNA, new NamingWrite.SaveSwitch("pushEnabled", "false"));
        AuditRecord first = newest("pushEnabled", "switch.set");
        assertThat(first.detail()).isEqualTo("false");
        assertThat(first.after()).isEqualTo(ContentDigest.of("false").toString());
        write(ANNA, new NamingWrite.SaveSwitch("pushEnabled", "true"));
        assertThat(newest("pushEnabled", "switch.set").before()).isEqualTo(first.after());
    }

    @Test
    void doesNotRecordTheServersOwnChanges() {
        write(
                Caller.SERVER,
                new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false)),
                new NamingWrite.SaveInstance(SERVICE, persistent(1)),
                new NamingWrite.RemoveInstance(SERVICE, ADDRESS),
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, InstanceOverride.NONE),
                new NamingWrite.RemoveService(SERVICE));
        get(new JdbcCapacityStore(store.writer, store.readers)
                .set(CapacityScope.ofGroup("g"), CapacityChange.NONE, Caller.SERVER));

        assertThat(records("*")).isEmpty();
    }

    @Test
    void recordsNamespaces() {
        JdbcNamespaceStore namespaces = new JdbcNamespaceStore(store.writer, store.readers);
        Namespace dev = Namespace.ofNullable("dev");

        get(namespaces.create(new StoredNamespace(dev, "Development", "d"), ANNA));
        AuditRecord created = newest("dev", "namespace.create");
        assertThat(created.detail()).isEqualTo("Development");
        get(namespaces.create(new StoredNamespace(dev, "Again", "d"), ANNA));
        get(namespaces.edit(new StoredNamespace(Namespace.ofNullable("other"), "Other", "d"), ANNA));
        assertThat(records("*")).hasSize(1);
        get(namespaces.edit(new StoredNamespace(dev, "Dev", "d"), ANNA));
        AuditRecord edited = newest("dev", "namespace.edit");
        assertThat(edited.before()).isEqualTo(created.after());
        get(namespaces.delete(dev, ANNA));
        AuditRecord deleted = newest("dev", "namespace.delete");
        assertThat(deleted.before()).isEqualTo(edited.after());
        assertThat(deleted.after()).isNull();
    }

    @Test
    void recordsCapacities() {
        JdbcCapacityStore capacities = new JdbcCapacityStore(store.writer, store.readers);

        get(capacities.set(CapacityScope.ofGroup("g"), new CapacityChange(7, null, null, null), ANNA));
        AuditRecord first = newest("group:g", "capacity.set");
        assertThat(first.detail()).startsWith("quota=7 ");
        assertThat(first.before()).isNull();
        get(capacities.set(
                CapacityScope.ofNamespace(Namespace.ofNullable("dev")), new CapacityChange(1, 2, null, null), ANNA));
        assertThat(newest("namespace:dev", "capacity.set").detail()).startsWith("quota=1 maxSize=2 ");
        get(capacities.set(CapacityScope.ofGroup("g"), new CapacityChange(8, null, null, null), ANNA));
        assertThat(newest("group:g", "capacity.set").before()).isEqualTo(first.after());
    }

    @Test
    void recordsNameTheNodeThatMadeTheChange() {
        store.publish("alone", "1");
        store.writer.writesAs("10.0.0.1:8848");
        store.publish("together", "1");
        get(audit.append(AuditRecord.of(ANNA, "test.done", "x")));

        assertThat(records("config.insert")).extracting(AuditRecord::node).containsExactly("10.0.0.1:8848", null);
        assertThat(newest("x", "test.done").node()).isEqualTo("10.0.0.1:8848");
    }

    @Test
    void findsATargetByItsPrefix() {
        write(ANNA, new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false)));
        write(
                ANNA,
                new NamingWrite.SaveService(
                        new ServiceKey(Namespace.ofNullable("dev"), "ü🚀", "s"), ServiceSettings.ofKind(false)));

        assertThat(found(null, "dev:*")).isEqualTo(2);
        assertThat(found(null, "dev:ü🚀:*")).isEqualTo(1);
        assertThat(found(null, "dev:_*")).isZero();
        assertThat(found("an*", "dev:g:naming/orders")).isEqualTo(1);
        assertThat(found("ann", null)).isZero();
    }

    @Test
    void findsATargetByAnyPartIgnoringCase() {
        for (String group : List.of("Team_A", "100%!", "TEAM-A", "Ärger", "[a?]")) {
            write(
                    ANNA,
                    new NamingWrite.SaveService(
                            new ServiceKey(Namespace.ofNullable("dev"), group, "Orders"),
                            ServiceSettings.ofKind(false)));
        }

        assertThat(found(null, "*orders*")).isEqualTo(5);
        assertThat(found(null, "*ORDERS")).isEqualTo(5);
        assertThat(found(null, "*order")).isZero();
        assertThat(found(null, "dev:*/orders")).isEqualTo(5);
        assertThat(found(null, "*team_a*")).isEqualTo(1);
        assertThat(found(null, "*0%!*")).isEqualTo(1);
        assertThat(found(null, "*_*")).isEqualTo(1);
        assertThat(found(null, "*ärger*")).isEqualTo(1);
        assertThat(found(null, "*ÄRGER:*")).isEqualTo(1);
        assertThat(found(null, "*ä_ger*")).isZero();
        assertThat(found(null, "*[A?]*")).isEqualTo(1);
        assertThat(found(null, "*ä[rR]*")).isZero();
        assertThat(found("*NN*", null)).isEqualTo(5);
        assertThat(found(null, "dev:team_a:naming/orders")).isZero();
    }

    private long found(String who, String target) {
        return audit.count(new AuditStore.Query(who, null, target, null, 0, Long.MAX_VALUE));
    }
}
