package io.cairn.server.xds;

import io.cairn.server.auth.Principal;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The surroundings of a stream. Thread-safe. */
interface StreamHome {

    /** Identifies the client and finds its view; to be followed by {@link #closed} when it was admitted. */
    Admission admit(XdsStream stream, XdsNode node);

    /**
     * Identifies the client again and finds its present view.
     *
     * @return with another view when that is not the one from before, which is to be {@link #left} then
     */
    Admission readmit(XdsStream stream, XdsNode node, Principal before, MeshView view);

    /** A stream does not use the view any more. */
    void left(MeshView view);

    /** The most clusters of a client that subscribes to all. */
    int maxClusters();

    /** The text for a client with more. */
    String tooManyClusters(int clusters, @Nullable XdsNode node);

    long nowMillis();

    long nanoTime();

    void sent(XdsType type, int bytes);

    void acknowledged(TypeState type, boolean refusedBefore);

    void refused(TypeState type, boolean refusedBefore);

    /** A client that refused its last response has gone. */
    void refusalGone(TypeState type);

    /**
     * Takes the bytes of a large response from the budget.
     *
     * @param turn is called once when there is room, by any thread; returns false when its stream cannot use it
     * @return the bytes taken; -1 when there is no room
     */
    int take(int bytes, BooleanSupplier turn);

    void release(int bytes);

    /** Gives the turn to the next stream that waits for room in the budget. */
    void passOn();

    void closed(XdsStream stream);
}
