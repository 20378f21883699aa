package io.cairn.server.xds;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The names of one type that streams of a view subscribe to, shared by all streams that subscribe to the same. Thread-safe. */
final class Subscription {

    private final Key key;

    @GuardedBy("this")
    private final List<XdsStream> streams = new ArrayList<>(1);

    /** Set by the thread of the mesh after the tables have all of its names. */
    private volatile boolean ready;

    /** Whether its names count as demanded; used on the thread of the mesh. */
    private boolean demanded;

    /** @param wildcard whether all listed resources are subscribed to, beside the names */
    record Key(XdsType type, boolean wildcard, Set<String> names) {

        Key {
            names = Set.copyOf(names);
        }
    }

    Subscription(Key key) {
        this.key = key;
    }

    Key key() {
        return key;
    }

    XdsType type() {
        return key.type;
    }

    boolean isWildcard() {
        return key.wildcard;
    }

    Set<String> names() {
        return key.names;
    }

    boolean isReady() {
        return ready;
    }

    void ready() {
        ready = true;
    }

    boolean isDemanded() {
        return demanded;
    }

    void demanded(boolean now) {
        demanded = now;
    }

    /** Whether the streams get that resource. */
    boolean covers(String name, ViewResources.Found found) {
        return key.wildcard && found.listed() || key.names.contains(name);
    }

    /**
     * Whether a change of the name concerns the streams.
     *
     * @param listed whether the resource is or was listed
     */
    boolean isAbout(String name, boolean listed) {
        return key.wildcard && listed || key.names.contains(name);
    }

    synchronized void add(XdsStream stream) {
        streams.add(stream);
    }

    /** True when none is left. */
    synchronized boolean remove(XdsStream stream) {
        streams.remove(stream);
        return streams.isEmpty();
    }

    synchronized boolean isEmpty() {
        return streams.isEmpty();
    }

    synchronized boolean isShared() {
        return streams.size() > 1;
    }

    synchronized void copyTo(List<XdsStream> all) {
        all.addAll(streams);
    }

    synchronized int size() {
        return streams.size();
    }
}
