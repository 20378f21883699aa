package io.cairn.server.storm;

import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** A client that listens to configs and remembers what it has read, like those of the SDKs. Runs on a thread of its own. */
abstract class StormListener implements Runnable, AutoCloseable {

    final List<String> configs;
    final Random random;
    private final Map<String, String> contents = new ConcurrentHashMap<>();
    private volatile boolean calm = true;
    private volatile boolean closed;

    StormListener(List<String> configs, Random random) {
        this.configs = configs;
        this.random = random;
    }

    /** What it believes to be stored. */
    Map<String, String> view() {
        return new TreeMap<>(contents);
    }

    /** What of this it listens to. */
    Map<String, String> ofInterest(Map<String, String> stored) {
        Set<String> mine = Set.copyOf(configs);
        return stored.entrySet().stream()
                .filter(entry -> mine.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }

    /** Takes note of a content that was read, or that there is none. */
    void remember(String config, String content) {
        if (content == null) {
            contents.remove(config);
        } else {
            contents.put(config, content);
        }
    }

    /** The digest by which the server finds out whether this client is up to date. */
    String md5(String config) {
        String content = contents.get(config);
        return content == null ? "" : ContentDigest.of(content).toString();
    }

    /** True once in so many times while the storm goes on. */
    boolean happens(int onceIn) {
        return !calm && random.nextInt(onceIn) == 0;
    }

    /** From now on it may be cut off at any time. */
    void storm() {
        calm = false;
    }

    /** From now on it is not cut off any more, and does nothing that the server has not asked it to. */
    void calmDown() {
        calm = true;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
