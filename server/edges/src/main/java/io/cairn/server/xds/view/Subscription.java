package io.cairn.server.xds.view;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.xds.resource.XdsType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The subscribed names of a type, shared by a view's equal streams. */
public final class Subscription {

    private final Key key;

    @GuardedBy("this")
    private final List<Subscriber> streams = new ArrayList<>(1);

    /** Set by the mesh thread when the tables have all its names. */
    private volatile boolean ready;

    /** Whether its names are counted; for the mesh thread. */
    private boolean demanded;

    /**
     * @param wildcard whether it has all listed resources, beside the names
     * @param kept former clusters beyond the limit
     */
    public record Key(XdsType type, boolean wildcard, Set<String> names, Set<String> kept) {

        public Key {
            names = Set.copyOf(names);
            kept = Set.copyOf(kept);
        }

        public Key(XdsType type, boolean wildcard, Set<String> names) {
            this(type, wildcard, names, Set.of());
        }

        public Key keeping(Set<String> now) {
            return new Key(type, wildcard, names, now);
        }
    }

    public Subscription(Key key) {
        this.key = key;
    }

    public Key key() {
        return key;
    }

    public XdsType type() {
        return key.type;
    }

    public boolean isWildcard() {
        return key.wildcard;
    }

    public Set<String> names() {
        return key.names;
    }

    /** Kept clusters beyond the limit. */
    public Set<String> kept() {
        return key.kept;
    }

    public boolean isReady() {
        return ready;
    }

    public void ready() {
        ready = true;
    }

    boolean isDemanded() {
        return demanded;
    }

    void demanded(boolean now) {
        demanded = now;
    }

    /** Whether the streams get the resource. */
    public boolean covers(String name, TableEntry entry) {
        return key.wildcard && (entry.isForAll() || entry.found().listed() && key.kept.contains(name))
                || key.names.contains(name);
    }

    /**
     * Whether the change concerns the streams.
     *
     * @param forAll whether the resource is or was part of the wildcard subscription
     */
    boolean isAbout(String name, boolean forAll) {
        return key.wildcard && (forAll || key.kept.contains(name)) || key.names.contains(name);
    }

    public synchronized void add(Subscriber stream) {
        streams.add(stream);
    }

    /** True for the last stream. */
    public synchronized boolean remove(Subscriber stream) {
        streams.remove(stream);
        return streams.isEmpty();
    }

    public synchronized boolean isEmpty() {
        return streams.isEmpty();
    }

    synchronized boolean isShared() {
        return streams.size() > 1;
    }

    synchronized void copyTo(List<Subscriber> all) {
        all.addAll(streams);
    }

    public synchronized int size() {
        return streams.size();
    }
}
