package io.cairn.server.wiring.lifecycle;

import io.cairn.server.naming.label.LabelsFile;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.wiring.settings.CairnProperties;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

public final class LabelsLink implements AutoCloseable {

    private final @Nullable FileWatch watch;

    /** @param home the base of the file's path */
    public LabelsLink(CairnProperties.Naming settings, Path home, Registry registry, Timer timer, Executor pool) {
        String path = settings.labelsFile().trim();
        if (path.isEmpty()) {
            watch = null;
        } else {
            LabelsFile file = new LabelsFile(home.resolve(path).normalize(), registry::relabel);
            watch = new FileWatch(file::reload, settings.labelsReloadInterval(), timer, pool);
        }
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }
}
