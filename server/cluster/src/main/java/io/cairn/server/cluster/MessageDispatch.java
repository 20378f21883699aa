package io.cairn.server.cluster;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class MessageDispatch {

    private static final Logger log = LoggerFactory.getLogger(MessageDispatch.class);

    private final Map<Class<?>, BiConsumer<NodeId, ? super ClusterMessage>> consumers = new ConcurrentHashMap<>();

    /** Has the consumer receive the messages of a kind; it returns at once. */
    <M extends ClusterMessage> void receive(Class<M> kind, BiConsumer<NodeId, M> consumer) {
        if (consumers.putIfAbsent(kind, (from, message) -> consumer.accept(from, kind.cast(message))) != null) {
            throw new IllegalStateException("Messages of the kind " + kind.getSimpleName() + " have a consumer");
        }
    }

    /** Delivers a message in the thread of the caller. */
    void dispatch(NodeId from, ClusterMessage message) {
        BiConsumer<NodeId, ? super ClusterMessage> consumer = consumers.get(message.getClass());
        if (consumer == null) {
            log.debug(
                    "Dropped a {} of {}, which nothing here takes",
                    message.getClass().getSimpleName(),
                    from);
        } else {
            consumer.accept(from, message);
        }
    }
}
