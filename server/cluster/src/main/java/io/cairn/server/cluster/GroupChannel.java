package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import java.net.InetSocketAddress;
import java.util.Collection;

/**
 * The membership of this node in the group of nodes: who is a member, and messages to each of them. Thread-safe. A channel joins
 * once; after {@link #close} it is of no further use.
 */
public interface GroupChannel extends AutoCloseable {

    /**
     * Blocks until the first view has been delivered, which is about one second where no other node answers.
     *
     * @throws CairnException {@code UNAVAILABLE} if the group port cannot be bound, {@code INVALID_PARAMETER} if the address to
     *     bind is not one of this machine. The channel is closed then
     */
    void join(Listener listener);

    /**
     * Sends a message to one member. Messages to one receiver arrive in the order in which they were sent. A message to a node
     * that is not in the present view is dropped; the listener has been or will be notified of that view. Blocks while the
     * receiver does not process what it was sent before, so call it from a thread that serves that receiver alone.
     *
     * @param message not changed by the caller afterwards
     * @throws CairnException {@code UNAVAILABLE} if the channel has not joined or is closed
     */
    void send(NodeId to, byte[] message);

    /**
     * Replaces the addresses (group ports) at which members may be found; this node's own may be among them. May be called at
     * any time; members in the present view stay members. Addresses that are not resolved are ignored.
     */
    void hosts(Collection<InetSocketAddress> candidates);

    /**
     * Leaves the group, which takes up to one second, and frees the port and all threads. Waits for a join that is under way.
     * Repeated calls do nothing.
     */
    @Override
    void close();

    /** The failure of a start whose group port cannot be bound, with what to do about it. */
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

    /** Receives views and messages. */
    interface Listener {

        /** Called for one view at a time, in order. Must not block: other members wait for this node to accept the view. */
        void view(GroupView view);

        /**
         * Called for one message of a sender at a time, in order; for several senders at the same time. The sender may be missing in
         * the latest view, when it has just joined or left. A call that blocks stops that sender alone, and only after 150 KB.
         */
        void message(NodeId from, byte[] message);
    }
}
