package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Takes every write, and nothing outlives the test. */
public final class ForgetfulStore implements NamingStore {

    @Override
    public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
        committed.run();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
        List<NamingWrite> written = new ArrayList<>();
        for (NamingChange change : changes) {
            if (change instanceof NamingChange.CreateService of) {
                written.add(of.from(false));
            } else if (change instanceof NamingChange.ChangeService of) {
                written.add(of.from(ServiceSettings.ofKind(false)));
            } else if (change instanceof NamingChange.RemoveService of) {
                written.add(of.from(true, false));
            } else if (change instanceof NamingChange.ChangeOverride of) {
                written.add(new NamingWrite.SaveOverride(
                        of.service(), of.instance(), of.change().apply(InstanceOverride.NONE)));
            }
        }
        committed.accept(written);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {}

    @Override
    public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {}

    @Override
    public void forEach(Consumer<NamingWrite> consumer) {}
}
