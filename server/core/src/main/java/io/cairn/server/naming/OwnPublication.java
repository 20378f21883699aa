package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import java.util.List;

/**
 * The instances that one publisher of this node publishes of one service at the moment.
 *
 * @param publishedAt the time of the registration on the clock of the group, unique on this node. Of two publications of one
 *     instance the one with the later time is shown. A node that takes over a client from another node keeps the time, so that a
 *     registration that it does not know yet still counts as later. A change of the health leaves it as it is: a node that has lost its client to
 *     another node finds the client silent, and must not win over the newer registration with that.
 */
public record OwnPublication(PublisherDescription publisher, long publishedAt, List<Instance> instances) {

    public OwnPublication {
        instances = List.copyOf(instances);
    }
}
