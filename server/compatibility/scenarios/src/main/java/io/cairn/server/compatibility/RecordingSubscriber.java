package io.cairn.server.compatibility;

import com.alibaba.nacos.api.naming.listener.Event;
import com.alibaba.nacos.api.naming.listener.EventListener;
import com.alibaba.nacos.api.naming.listener.NamingEvent;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Records the lists of a service. */
final class RecordingSubscriber implements EventListener {
    private final List<List<Instance>> lists = new ArrayList<>();
    private final boolean keepsAll;

    RecordingSubscriber() {
        this(true);
    }

    private RecordingSubscriber(boolean keepsAll) {
        this.keepsAll = keepsAll;
    }

    /** For large lists. */
    static RecordingSubscriber ofNewestList() {
        return new RecordingSubscriber(false);
    }

    @Override
    public synchronized void onEvent(Event event) {
        if (event instanceof NamingEvent naming) {
            if (!keepsAll) {
                lists.clear();
            }
            lists.add(List.copyOf(naming.getInstances()));
        }
    }

    /** In order of arrival. */
    synchronized List<List<Instance>> lists() {
        return new ArrayList<>(lists);
    }

    /** How many lists came. */
    synchronized int count() {
        return lists.size();
    }

    /** Empty before the first list. */
    synchronized Optional<List<Instance>> newest() {
        return lists.isEmpty() ? Optional.empty() : Optional.of(lists.get(lists.size() - 1));
    }

    /** The addresses in the newest list; empty before the first. */
    Set<String> addresses() {
        return addresses(newest().orElse(List.of()));
    }

    /** {@code ip:port} of each. */
    static Set<String> addresses(List<Instance> instances) {
        var addresses = new TreeSet<String>();
        instances.forEach(instance -> addresses.add(instance.toInetAddr()));
        return addresses;
    }
}
