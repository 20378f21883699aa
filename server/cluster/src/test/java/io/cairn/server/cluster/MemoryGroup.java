package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A group without sockets. Each member receives on a thread of its own, in the order of sending. */
final class MemoryGroup {

    private final Map<NodeId, Member> members = new ConcurrentHashMap<>();
    private final List<NodeId> view = new ArrayList<>();
    /** As {@link GroupChannel#otherKeys}, on all members. */
    final Set<InetSocketAddress> otherKeys = ConcurrentHashMap.newKeySet();

    GroupChannel channel(NodeId self) {
        return new Member(self);
    }

    private final class Member implements GroupChannel {

        private final NodeId self;
        private final ExecutorService receiving = Executors.newSingleThreadExecutor();
        private volatile Listener listener;

        Member(NodeId self) {
            this.self = self;
        }

        @Override
        public void join(Listener joining) {
            listener = joining;
            synchronized (view) {
                members.put(self, this);
                view.add(self);
                GroupView next = new GroupView(view.size(), List.copyOf(view), false);
                members.values().forEach(member -> member.receiving.execute(() -> member.listener.view(next)));
            }
        }

        @Override
        public void send(NodeId to, byte[] message) {
            Member receiver = members.get(to);
            if (receiver != null) {
                receiver.receiving.execute(() -> receiver.listener.message(self, message));
            }
        }

        @Override
        public void hosts(Collection<InetSocketAddress> candidates) {}

        @Override
        public Set<InetSocketAddress> otherKeys() {
            return Set.copyOf(otherKeys);
        }

        /** The others keep the view: these tests end together. */
        @Override
        public void close() {
            members.remove(self);
            receiving.shutdown();
        }
    }
}
