package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.listener.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Keeps what a client told it; a removed config is told as null. Thread-safe. */
final class RecordingListener implements Listener {
    private final List<@Nullable String> contents = new ArrayList<>();

    @Override
    public @Nullable Executor getExecutor() {
        return null; // the client calls on its own thread, so in its order
    }

    @Override
    public synchronized void receiveConfigInfo(@Nullable String content) {
        contents.add(content);
    }

    /** All contents in the order of their arrival. */
    synchronized List<@Nullable String> contents() {
        return new ArrayList<>(contents);
    }

    /** Whether the newest content is this one, null for: removed. */
    synchronized boolean hasNow(@Nullable String content) {
        if (contents.isEmpty()) {
            return false;
        }
        String newest = contents.get(contents.size() - 1);
        return content == null ? newest == null : content.equals(newest);
    }
}
