package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Set;

/** The membership of this node in the group: views, and messages to members. A channel joins once; a closed channel is useless. */
public interface GroupChannel extends AutoCloseable {

    /**
     * Blocks until the first view is delivered, for about one second where no other node answers.
     *
     * @throws CairnException {@code UNAVAILABLE} if the group port cannot be bound, {@code INVALID_PARAMETER} if the machine lacks
     *     the bind address. The channel is closed then
     */
    void join(Listener listener);

    /**
     * Sends a message to a member. Messages to one receiver keep their order. A message to a node outside the present view is
     * dropped; the listener receives that view. Blocks while the receiver does not read, so call it from a thread for that
     * receiver.
     *
     * @param message must not change afterwards
     * @throws CairnException {@code UNAVAILABLE} before the join and after the close
     */
    void send(NodeId to, byte[] message);

    /**
     * Replaces the addresses (group ports) of possible members, at any time; may include this node. Members of the present view
     * stay. Unresolved addresses are ignored.
     */
    void hosts(Collection<InetSocketAddress> candidates);

    /**
     * The group ports of programs whose messages were refused within the last 30 s for another key, as these programs name them.
     * Does not block.
     */
    Set<InetSocketAddress> otherKeys();

    /** Leaves the group, within one second, and frees port and threads. Waits for a running join. Idempotent. */
    @Override
    void close();

    static CairnException unbindable(InetSocketAddress address, Throwable cause) {
        String host = address.getAddress().getHostAddress();
        String why = String.valueOf(cause.getMessage());
        if (why.contains("assign requested address")) {
            return new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "The group port cannot be bound to " + host
                            + ", which is not an address of this machine: set cairn.cluster.bind-address to one that is"
                            + " (0.0.0.0 binds to all)",
                    cause);
        }
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "The group port " + MemberAddress.join(host, address.getPort()) + " cannot be bound (" + why
                        + "): end the process that has it, or set cairn.cluster.port to another one",
                cause);
    }

    interface Listener {

        /** Called in order, one view at a time. Must not block: other members wait for this node to accept the view. */
        void view(GroupView view);

        /**
         * Called in order for one sender, concurrently for several. The sender may be missing in the latest view, when it has just
         * joined or left. Blocking stops that sender alone, after 150 KB.
         */
        void message(NodeId from, byte[] message);
    }
}
