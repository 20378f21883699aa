package io.cairn.server.storm;

import io.cairn.api.config.ContentDigest;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** A client that listens to configs and keeps the contents that it has read, like the SDKs. Runs on its own thread. */
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

    /** The contents that the client takes for the stored ones. */
    Map<String, String> view() {
        return new TreeMap<>(contents);
    }

    /** The part of these that it listens to. */
    Map<String, String> ofInterest(Map<String, String> stored) {
        Set<String> mine = Set.copyOf(configs);
        return stored.entrySet().stream()
                .filter(entry -> mine.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }

    /** Records a content that was read, or that there is none. */
    void remember(String config, String content) {
        if (content == null) {
            contents.remove(config);
        } else {
            contents.put(config, content);
        }
    }

    /** The digest by which the server decides whether this client is up to date. */
    String md5(String config) {
        String content = contents.get(config);
        return content == null ? "" : ContentDigest.of(content).toString();
    }

    /** True on average once in that many calls during a storm. */
    boolean happens(int onceIn) {
        return !calm && random.nextInt(onceIn) == 0;
    }

    /** Allows its connection to be cut at any time. */
    void storm() {
        calm = false;
    }

    /** Keeps its connection from now on, and only sends what the server has requested. */
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
