package io.cairn.server.xds.view;

import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.XdsType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A view at one revision: its tables and encoded responses. */
public final class ViewState {

    private static final int MAX_DUE_RESPONSES = 64;

    /** Responses to streams at other revisions; each stream requests one for a revision. */
    private static final int MAX_RESPONSES = 4_096;

    /** Numbers responses, so that a stream gets no nonce twice. */
    private static final AtomicLong RESPONSES = new AtomicLong();

    private final DiscoveryMessages messages;
    private final long revision;
    private final TypeTable[] tables;
    private final long publishedNanos;
    private final int listedClusters;
    private final List<TableEntry> beyond;
    private final Map<Question, DiscoveryResponse> responses = new ConcurrentHashMap<>();
    /** Responses with due names, which clients choose, so few are kept. */
    private final Map<Question, DiscoveryResponse> dueResponses = new ConcurrentHashMap<>();

    /**
     * @param messages encodes the responses
     * @param listedClusters number of wildcard clusters, with those beyond the limit
     * @param beyond clusters beyond the limit, by name
     */
    public ViewState(
            DiscoveryMessages messages,
            long revision,
            TypeTable[] tables,
            long publishedNanos,
            int listedClusters,
            List<TableEntry> beyond) {
        this.messages = messages;
        this.revision = revision;
        this.tables = tables;
        this.publishedNanos = publishedNanos;
        this.listedClusters = listedClusters;
        this.beyond = beyond;
    }

    /**
     * A stream's position, which determines its response.
     *
     * @param since the stream's revision, or {@link TableEntry#NOTHING}
     * @param due names to send even unchanged
     */
    public record Question(
            Subscription subscription,
            boolean delta,
            long since,
            @Nullable Set<String> due) {}

    public long revision() {
        return revision;
    }

    public long publishedNanos() {
        return publishedNanos;
    }

    int listedClusters() {
        return listedClusters;
    }

    /** Clusters beyond the limit, by name; they are listed. */
    public List<TableEntry> beyond() {
        return beyond;
    }

    public TypeTable table(XdsType type) {
        return tables[type.index()];
    }

    /** Encoded once where several streams may need it. */
    public DiscoveryResponse answer(Question question) {
        if (!question.subscription.isShared()) {
            return encode(question, Map.of());
        }
        Map<Question, DiscoveryResponse> kept = question.due == null ? responses : dueResponses;
        DiscoveryResponse known = kept.get(question);
        if (known == null) {
            // Two event loops may encode it: better than one waiting for the other.
            DiscoveryResponse made = encode(question, Map.of());
            if (kept.size() >= (question.due == null ? MAX_RESPONSES : MAX_DUE_RESPONSES)) {
                return made;
            }
            DiscoveryResponse first = kept.putIfAbsent(question, made);
            known = first == null ? made : first;
        }
        return known;
    }

    public int rememberedResponses() {
        return responses.size() + dueResponses.size();
    }

    /**
     * A delta stream's first response to a client with resources of an earlier stream.
     *
     * @param present version by name
     */
    public DiscoveryResponse answerTo(Question question, Map<String, String> present) {
        return present.isEmpty() ? answer(question) : encode(question, present);
    }

    private DiscoveryResponse encode(Question question, Map<String, String> present) {
        Subscription subscription = question.subscription;
        XdsType type = subscription.type();
        TypeTable table = table(type);
        Map<String, TableEntry> changed;
        Set<String> removed;
        if (question.since == TableEntry.NOTHING) {
            changed = byName(table.covered(subscription));
            removed = gone(table, subscription, present);
            changed.values()
                    .removeIf(entry -> entry.resource()
                                    .version()
                                    .equals(present.get(entry.resource().name()))
                            && !isDue(question, entry.resource().name()));
        } else {
            TypeTable.Difference difference = table.changesSince(question.since, subscription);
            changed = difference.changed();
            removed = difference.removed();
            addDue(question, table, changed, removed);
        }
        Collection<TableEntry> sent =
                !question.delta && type.isWholeInSotw() ? table.covered(subscription) : changed.values();
        String nonce = revision + "." + RESPONSES.incrementAndGet();
        List<Resource> resources = new ArrayList<>(sent.size());
        sent.forEach(entry -> resources.add(entry.resource()));
        String version = Long.toString(revision);
        byte[] encoded = question.delta
                ? messages.delta(type, version, nonce, resources, removed)
                : messages.sotw(type, version, nonce, resources);
        return new DiscoveryResponse(
                encoded,
                nonce,
                warming(changed.values(), TableEntry.NOTHING),
                warming(changed.values(), question.since));
    }

    private static boolean isDue(Question question, String name) {
        return question.due != null && question.due.contains(name);
    }

    private static Map<String, TableEntry> byName(Collection<TableEntry> entries) {
        Map<String, TableEntry> byName = new LinkedHashMap<>(entries.size() * 2);
        entries.forEach(entry -> byName.put(entry.resource().name(), entry));
        return byName;
    }

    /** Removed names of an earlier stream, and absent requested names. */
    private static Set<String> gone(TypeTable table, Subscription subscription, Map<String, String> present) {
        Set<String> gone = new HashSet<>(0);
        for (String name : present.keySet()) {
            TableEntry entry = table.get(name);
            if (entry == null || !subscription.covers(name, entry)) {
                gone.add(name);
            }
        }
        for (String name : subscription.names()) {
            if (table.get(name) == null) {
                gone.add(name);
            }
        }
        return gone;
    }

    private static void addDue(
            Question question, TypeTable table, Map<String, TableEntry> changed, Set<String> removed) {
        Set<String> due = question.due;
        if (due == null) {
            return;
        }
        for (String name : due) {
            TableEntry entry = table.get(name);
            if (entry != null && question.subscription.covers(name, entry)) {
                changed.put(name, entry);
            } else if (question.subscription.names().contains(name)) {
                removed.add(name);
            }
        }
    }

    private static Set<String> warming(Collection<TableEntry> clusters, long createdAfter) {
        Set<String> names = null;
        for (TableEntry cluster : clusters) {
            if (cluster.created() > createdAfter && !cluster.found().endpoints().isEmpty()) {
                if (names == null) {
                    names = new HashSet<>();
                }
                names.addAll(cluster.found().endpoints());
            }
        }
        return names == null ? Set.of() : names;
    }
}
