package io.cairn.server.storage.mirror;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.naming.JdbcNamingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The registry's lasting part in the database, followed by the mirror. */
public final class MirroredNamingStore implements NamingStore {

    private final JdbcNamingStore database;
    private final Mirror mirror;
    private final BooleanSupplier isAway;

    /** @param isAway whether reads use the mirror */
    public MirroredNamingStore(JdbcNamingStore database, Mirror mirror, BooleanSupplier isAway) {
        this.database = database;
        this.mirror = mirror;
        this.isAway = isAway;
    }

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        return database.write(writes, by, () -> {
            committed.run();
            mirror.naming(writes);
        });
    }

    @Override
    public CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
        return database.change(changes, by, written -> {
            committed.accept(written);
            mirror.naming(written);
        });
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
        if (isAway.getAsBoolean()) {
            mirror.forEachNaming(services, consumer);
            return;
        }
        List<NamingWrite> stored = new ArrayList<>();
        database.forEach(services, stored::add);
        mirror.syncNaming(services, stored);
        stored.forEach(consumer);
    }

    @Override
    public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {
        List<NamingWrite> stored = new ArrayList<>();
        database.forEachSwitch(names, stored::add);
        mirror.naming(stored);
        stored.forEach(consumer);
    }

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {
        if (isAway.getAsBoolean()) {
            mirror.forEachNaming(consumer);
            return;
        }
        // No write can come between: this runs before the first, or on the writer's thread.
        List<NamingWrite> stored = new ArrayList<>();
        database.forEach(stored::add);
        mirror.syncNaming(stored);
        stored.forEach(consumer);
    }
}
