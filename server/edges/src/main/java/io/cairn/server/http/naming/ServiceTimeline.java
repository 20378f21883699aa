package io.cairn.server.http.naming;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.DrainEvent;
import io.cairn.server.naming.stored.Drains;
import io.cairn.server.node.ClusterReads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The latest losses and drains of the instances of a service, on all nodes since their starts. Never blocks. */
public final class ServiceTimeline {

    private static final Comparator<Entry> NEWEST_FIRST = Comparator.comparingLong((Entry entry) -> -entry.time())
            // Within a millisecond: the end of a wait is later than the begin.
            .thenComparing(Entry::kind)
            .thenComparing(Entry::instance);

    private final String self;
    private final RegistryView reads;
    private final Drains drains;
    private final NodeRead<Entry> onNodes;

    public ServiceTimeline(String self, RegistryView reads, Drains drains, ClusterReads nodes, ReadPool pool) {
        this.self = self;
        this.reads = reads;
        this.drains = drains;
        this.onNodes = NodeRead.declare(
                nodes, "naming.timeline", Entry.class, asked -> here(ServiceQuestion.service(asked)), pool);
    }

    /**
     * A loss or an event of a drain.
     *
     * @param time in epoch milliseconds
     * @param event a {@code LossCause} or the kind of a {@code DrainEvent}
     * @param instance an address with its port
     * @param count lost instances, or subscribers with a drain
     * @param by null for the server
     */
    public record Entry(
            long time,
            String kind,
            String event,
            String text,
            String instance,
            int count,
            int waiting,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String by,

            String node) {}

    /** Newest first. */
    public CompletionStage<Gathered<Entry>> of(ServiceKey service) {
        return onNodes.all(ServiceQuestion.of(service))
                .thenApply(found -> new Gathered<>(
                        found.rows().stream().sorted(NEWEST_FIRST).toList(), found.silent()));
    }

    private List<Entry> here(ServiceKey service) {
        List<Entry> entries = new ArrayList<>();
        for (InstanceLosses.Loss loss : reads.losses().of(service)) {
            entries.add(new Entry(
                    loss.atMillis(),
                    "LOST",
                    loss.cause().name(),
                    loss.cause().text(),
                    loss.example(),
                    loss.count(),
                    0,
                    null,
                    self));
        }
        for (DrainEvent event : drains.events(service)) {
            InstanceKey instance = event.instance();
            entries.add(new Entry(
                    event.atMillis(),
                    "DRAIN",
                    event.kind().name(),
                    event.kind().text(),
                    instance.ip() + ':' + instance.port(),
                    event.subscribers(),
                    event.waiting(),
                    event.by().isEmpty() ? null : event.by(),
                    self));
        }
        return entries;
    }
}
