package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import java.util.List;

/**
 * A publisher's present instances of a service on this node.
 *
 * @param publishedAt the registration's time on the group's clock, unique here; the later of two publications of an instance is
 *     shown. An adopting node keeps it, so that an unknown registration counts as later. A change of health does not change it: a
 *     node that lost its client finds it silent, and must not replace the newer registration
 */
public record OwnPublication(PublisherDescription publisher, long publishedAt, List<Instance> instances) {

    public OwnPublication {
        instances = List.copyOf(instances);
    }
}
