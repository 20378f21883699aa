package io.cairn.server.xds.stream;

import io.cairn.server.auth.Principal;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.MeshView;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The surroundings of a stream. */
public interface StreamHome {

    /** Identifies the client and finds its view; {@link #closed} follows an admission. */
    Admission admit(XdsStream stream, XdsNode node);

    /**
     * Identifies the client again.
     *
     * @return another view when it has changed; then the former must be {@link #left}
     */
    Admission readmit(XdsStream stream, XdsNode node, Principal before, MeshView view);

    void left(MeshView view);

    ClientNames names();

    int maxClusters();

    long nowMillis();

    long nanoTime();

    void sent(XdsType type, int bytes);

    void acknowledged(TypeState type, boolean refusedBefore);

    void refused(TypeState type, boolean refusedBefore);

    /** Called when a client that refused its last response disconnects. */
    void refusalGone(TypeState type);

    /**
     * Reserves a large response's bytes.
     *
     * @param turn called once when bytes are available, by any thread; returns false when its stream cannot use them
     * @return the reserved bytes; -1 if unavailable
     */
    int reserve(int bytes, BooleanSupplier turn);

    void release(int bytes);

    /** Passes the turn to the next waiting stream. */
    void passOn();

    void closed(XdsStream stream);

    /**
     * The stream ends for a reason that its client or an operator can remove.
     *
     * @param node the client's description, or null
     */
    void ended(XdsStream stream, @Nullable XdsNode node, RefusalReason reason, String why);

    /** A new wildcard client lacks clusters beyond the limit. */
    void lacksClusters();
}
