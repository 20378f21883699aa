package io.cairn.server.cluster.replication;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.node.NodeId;
import java.util.Map;

/** The registry of one node of {@link ReplicationModel}, with what a node does for its clients. */
interface NodeRegistry {

    /** The node, as its registry needs it. */
    interface Surroundings {

        NodeId id();

        ClusterClock clock();

        boolean isReady();

        /** Whether this node owns the client without a connection. */
        boolean isOwn(String clientId);

        long nanoTime();

        /** Runs the action in the node: later while it is paused, never when it has crashed. */
        void after(long nanos, Runnable action);

        /** An instance is no longer listed. */
        void unlisted(InstanceKey instance);

        /** An instance is listed, or was published by a node. */
        void seen(Instance instance);
    }

    MirroredRegistry mirrored();

    OwnPublications publications();

    void recordIn(OwnChanges log);

    // Actions of clients.

    void connected(String connection, Publisher.Client client, ServiceKey service, Instance instance);

    /** @param moves whether the client was asked to move */
    void disconnected(String connection, boolean moves);

    void deregister(String connection, ServiceKey service, InstanceKey instance);

    void registerHttp(ServiceKey service, Instance instance);

    /** False when the instance is not known. */
    boolean beat(ServiceKey service, InstanceKey instance);

    boolean publishesHttp(ServiceKey service, InstanceKey instance);

    void deregisterHttp(ServiceKey service, InstanceKey instance);

    // Every second.

    /** Before the replication has done what is due every second. */
    void runs();

    /** After the replication has done what is due every second. */
    void everySecond(boolean isInStep, boolean isCutOff);

    // The view of consumers.

    boolean lists(ServiceKey service, InstanceKey instance);

    /** Each listed instance, as the latest publication says. */
    Map<InstanceKey, Instance> list();

    boolean holdsAnything();
}
