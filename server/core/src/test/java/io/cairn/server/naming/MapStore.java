package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A store in memory that commits at once, on the test's command, or never. Thread-safe. */
final class MapStore implements NamingStore {

    private final Map<Object, NamingWrite> rows = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private boolean refuses;
    private boolean holds;

    private record Row(Object type, ServiceKey service, Object of) {}

    /** Whether writes fail from now on. */
    synchronized void refuse(boolean now) {
        refuses = now;
    }

    /** Has writes wait for {@link #commitNext}. */
    synchronized void hold() {
        holds = true;
    }

    /** Commits the write that has waited longest; false when there is none. */
    boolean commitNext() {
        Runnable next;
        synchronized (this) {
            next = held.poll();
        }
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        synchronized (this) {
            if (refuses) {
                return CompletableFuture.failedFuture(
                        new CairnException(ErrorCode.UNAVAILABLE, "the store refuses, for a test"));
            }
            if (holds) {
                held.add(() -> commit(writes, committed, result));
                return result;
            }
        }
        commit(writes, committed, result);
        return result;
    }

    private void commit(List<NamingWrite> writes, Runnable committed, CompletableFuture<Void> result) {
        synchronized (this) {
            writes.forEach(this::apply);
        }
        committed.run();
        result.complete(null);
    }

    private void apply(NamingWrite write) {
        if (write instanceof NamingWrite.SaveService save) {
            rows.put(new Row("service", save.service(), ""), save);
        } else if (write instanceof NamingWrite.RemoveService remove) {
            rows.keySet()
                    .removeIf(row -> row instanceof Row of
                            && of.service().equals(remove.service())
                            && !of.type().equals("instance"));
        } else if (write instanceof NamingWrite.SaveInstance save) {
            rows.put(
                    new Row(
                            "instance",
                            save.service(),
                            RegistryModel.persistent(save.instance().key())),
                    save);
        } else if (write instanceof NamingWrite.RemoveInstance remove) {
            rows.remove(new Row("instance", remove.service(), RegistryModel.persistent(remove.instance())));
        } else if (write instanceof NamingWrite.SaveOverride save) {
            Row row = new Row("override", save.service(), save.instance());
            if (save.override().isNone()) {
                rows.remove(row);
            } else {
                rows.put(row, save);
            }
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            rows.put(save.name(), save);
        }
    }

    synchronized List<NamingWrite> rows() {
        List<NamingWrite> all = new ArrayList<>();
        for (Class<?> type : List.of(
                NamingWrite.SaveSwitch.class,
                NamingWrite.SaveService.class,
                NamingWrite.SaveOverride.class,
                NamingWrite.SaveInstance.class)) {
            rows.values().stream().filter(type::isInstance).forEach(all::add);
        }
        return all;
    }

    @Override
    public CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        Runnable commit = () -> {
            List<NamingWrite> writes = new ArrayList<>();
            synchronized (this) {
                Map<Object, NamingWrite> before = new LinkedHashMap<>(rows);
                try {
                    // One after the other: each sees what those before it have written.
                    for (NamingChange change : changes) {
                        resolve(change).ifPresent(write -> {
                            apply(write);
                            writes.add(write);
                        });
                    }
                } catch (CairnException e) {
                    rows.clear();
                    rows.putAll(before);
                    result.completeExceptionally(e);
                    return;
                }
            }
            committed.accept(writes);
            result.complete(null);
        };
        synchronized (this) {
            if (refuses) {
                return CompletableFuture.failedFuture(
                        new CairnException(ErrorCode.UNAVAILABLE, "the store refuses, for a test"));
            }
            if (holds) {
                held.add(commit);
                return result;
            }
        }
        commit.run();
        return result;
    }

    private Optional<NamingWrite> resolve(NamingChange change) {
        if (change instanceof NamingChange.CreateService of) {
            return Optional.of(of.from(rows.containsKey(new Row("service", of.service(), ""))));
        } else if (change instanceof NamingChange.ChangeService of) {
            NamingWrite row = rows.get(new Row("service", of.service(), ""));
            return Optional.of(of.from(row == null ? null : ((NamingWrite.SaveService) row).settings()));
        } else if (change instanceof NamingChange.RemoveService of) {
            return Optional.of(of.from(
                    rows.containsKey(new Row("service", of.service(), "")),
                    rows.values().stream()
                            .anyMatch(row -> row instanceof NamingWrite.SaveInstance save
                                    && save.service().equals(of.service()))));
        } else if (change instanceof NamingChange.ExpireService of) {
            NamingWrite row = rows.get(new Row("service", of.service(), ""));
            return Optional.ofNullable(of.from(
                    row == null ? null : ((NamingWrite.SaveService) row).settings(),
                    rows.values().stream()
                            .anyMatch(each -> each instanceof NamingWrite.SaveInstance save
                                            && save.service().equals(of.service())
                                    || each instanceof NamingWrite.SaveOverride laid
                                            && laid.service().equals(of.service()))));
        } else if (change instanceof NamingChange.ChangeOverride of) {
            NamingWrite row = rows.get(new Row("override", of.service(), of.instance()));
            InstanceOverride before = row == null ? InstanceOverride.NONE : ((NamingWrite.SaveOverride) row).override();
            InstanceOverride after = of.change().apply(before);
            return after.equals(before)
                    ? Optional.empty()
                    : Optional.of(new NamingWrite.SaveOverride(of.service(), of.instance(), after));
        }
        NamingChange.ChangeInstance of = (NamingChange.ChangeInstance) change;
        NamingWrite row = rows.get(new Row("instance", of.service(), RegistryModel.persistent(of.instance())));
        return Optional.ofNullable(row)
                .map(found -> ((NamingWrite.SaveInstance) found).instance())
                .filter(found -> found.key().equals(of.instance()))
                .map(found ->
                        new NamingWrite.SaveInstance(of.service(), of.change().apply(found)));
    }

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {
        rows().forEach(consumer);
    }

    @Override
    public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
        rows().stream()
                .filter(row -> services.contains(
                        row instanceof NamingWrite.SaveService save
                                ? save.service()
                                : row instanceof NamingWrite.SaveInstance save
                                        ? save.service()
                                        : row instanceof NamingWrite.SaveOverride save ? save.service() : null))
                .forEach(consumer);
    }

    @Override
    public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {
        rows().stream()
                .filter(row -> row instanceof NamingWrite.SaveSwitch save && names.contains(save.name()))
                .forEach(consumer);
    }
}
