package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.listener.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Records the contents of a client; null for a removed config. */
final class RecordingListener implements Listener {
    private final List<@Nullable String> contents = new ArrayList<>();

    @Override
    public @Nullable Executor getExecutor() {
        return null; // In order, because the client calls on its own thread
    }

    @Override
    public synchronized void receiveConfigInfo(@Nullable String content) {
        contents.add(content);
    }

    /** In order of arrival. */
    synchronized List<@Nullable String> contents() {
        return new ArrayList<>(contents);
    }

    /** The newest content; null for a removed config. */
    synchronized boolean hasNow(@Nullable String content) {
        if (contents.isEmpty()) {
            return false;
        }
        String newest = contents.get(contents.size() - 1);
        return content == null ? newest == null : content.equals(newest);
    }
}
