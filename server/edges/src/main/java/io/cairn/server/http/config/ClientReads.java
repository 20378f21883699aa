package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.gray.GrayIdentity;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.sdk.Sdk;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.HeldContents;
import io.cairn.server.subscription.history.ClientEvent;
import io.cairn.server.subscription.history.ClientHistory;
import io.cairn.server.subscription.history.EventFilter;
import io.cairn.server.subscription.history.SeenClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The clients of configurations on all nodes: their present contents, and their events. Never blocks. */
public final class ClientReads {

    /** Of one question. */
    public static final int MOST_ASKED = 100;
    /** The last event that a page may have. */
    public static final int MOST_EVENTS = 10_000;

    /** A client's own limit, and the way between nodes. */
    private static final Duration ASK_WITHIN = HeldContents.PATIENCE.plusSeconds(1);

    /** A search reads up to all files. */
    private static final Duration SEARCH_WITHIN = Duration.ofSeconds(10);

    private static final char SEPARATOR = ',';

    private static final Comparator<Watcher> BY_ADDRESS =
            Comparator.comparing(Watcher::clientIp).thenComparing(Watcher::connectionId);
    private static final Comparator<Listened> BY_KEY = Comparator.comparing(Listened::namespaceId)
            .thenComparing(Listened::groupName)
            .thenComparing(Listened::dataId);
    private static final Comparator<Event> NEWEST_FIRST =
            Comparator.comparingLong(Event::at).reversed();

    private final String self;
    private final ConfigListeners listeners;
    private final HeldContents contents;
    private final ClientHistory history;
    private final ListenerReads watchers;
    private final NodeRead<Listened> listened;
    private final NodeRead<Held> held;
    private final NodeRead<Event> events;

    /**
     * @param self names this node
     */
    public ClientReads(
            String self,
            ListenerReads watchers,
            ConfigListeners listeners,
            HeldContents contents,
            ClientHistory history,
            Nodes nodes) {
        this.self = self;
        this.watchers = watchers;
        this.listeners = listeners;
        this.contents = contents;
        this.history = history;
        ClusterReads others = nodes.reads();
        ReadPool pool = nodes.pool();
        this.listened = NodeRead.declare(others, "config.clients.listened", Listened.class, this::listenedHere, pool);
        this.held = NodeRead.declareWaiting(others, "config.clients.held", Held.class, this::heldHere, pool);
        this.events = NodeRead.declareWaiting(
                others,
                "config.clients.events",
                Event.class,
                asked -> nodes.files().read(() -> eventsHere(asked)),
                pool);
    }

    /**
     * The other nodes, and the threads for this one.
     *
     * @param pool for long lists
     * @param files for searches of files, which must not delay lists
     */
    public record Nodes(ClusterReads reads, ReadPool pool, ReadPool files) {}

    /**
     * A configuration that a client listens to.
     *
     * @param md5 of its content by its reports or reads, or empty
     * @param release the gray release that it gets; empty for the content for all
     */
    public record Listened(
            String namespaceId, String groupName, String dataId, String md5, boolean current, String release) {

        ConfigKey key() {
            return new ConfigKey(Namespace.ofNullable(namespaceId), groupName, dataId);
        }
    }

    /**
     * A client's answer.
     *
     * @param md5 of the content that it holds; empty without one
     */
    public record Held(String connectionId, String node, HeldContents.State state, String md5) {}

    /**
     * An event of a client. Texts are empty where the kind has no such part.
     *
     * @param at epoch milliseconds
     * @param client name and version of its SDK
     * @param count the missing events
     */
    public record Event(
            long at,
            ClientEvent.Kind event,
            String ip,
            String app,
            String instance,
            String client,
            String connectionId,
            String namespaceId,
            String groupName,
            String dataId,
            String md5,
            long count,
            String node) {

        @Nullable
        ConfigKey key() {
            return dataId.isEmpty() ? null : new ConfigKey(Namespace.ofNullable(namespaceId), groupName, dataId);
        }
    }

    /** The requested events; null for any. */
    public record EventQuery(
            @Nullable String connectionId,
            @Nullable String ip,
            @Nullable String app,
            @Nullable String instance,
            @Nullable ConfigKey key) {

        public boolean isOfAll() {
            return connectionId == null && ip == null && app == null && instance == null && key == null;
        }

        public ConfigKey requiredKey() {
            return Objects.requireNonNull(key, "key");
        }
    }

    /** By address. */
    public CompletionStage<Gathered<Watcher>> watchers(ConfigKey key) {
        return watchers.detailed(key)
                .thenApply(found -> new Gathered<>(
                        found.rows().stream()
                                .map(ClientReads::watcher)
                                .sorted(BY_ADDRESS)
                                .toList(),
                        found.silent()));
    }

    /** The configurations of a connection that the caller may read, by key. */
    public CompletionStage<Gathered<Listened>> listened(String connectionId, Principal caller) {
        return listened.allOnPool(Map.of("connectionId", connectionId))
                .thenApply(found -> new Gathered<>(
                        found.rows().stream()
                                .filter(each -> caller.isAdmin() || caller.mayRead(each.key()))
                                .sorted(BY_KEY)
                                .toList(),
                        found.silent()));
    }

    /** Asks the clients themselves; a row for each, in the order of the ids. */
    public CompletionStage<Gathered<Held>> held(ConfigKey key, List<String> connectionIds) {
        Map<String, String> asked = new HashMap<>(names(key));
        asked.put("connectionIds", String.join(String.valueOf(SEPARATOR), connectionIds));
        return held.allWithin(asked, ASK_WITHIN).thenApply(found -> {
            Map<String, Held> byId = new HashMap<>();
            found.rows()
                    .forEach(each -> byId.merge(
                            each.connectionId(),
                            each,
                            (one, other) -> one.state() == HeldContents.State.NOT_CONNECTED ? other : one));
            HeldContents.State unanswered =
                    found.silent().isNone() ? HeldContents.State.NOT_CONNECTED : HeldContents.State.SILENT;
            List<Held> inOrder = connectionIds.stream()
                    .map(id -> byId.getOrDefault(id, new Held(id, "", unanswered, "")))
                    .toList();
            return new Gathered<>(inOrder, found.silent());
        });
    }

    /** The newest events first. A caller sees the end of a connection if the caller may see another event of it. */
    public CompletionStage<Gathered<Event>> events(EventQuery query, int atMost, Principal caller) {
        Map<String, String> asked = new HashMap<>();
        put(asked, "connectionId", query.connectionId());
        put(asked, "ip", query.ip());
        put(asked, "app", query.app());
        put(asked, "instance", query.instance());
        if (query.key() != null) {
            asked.putAll(names(query.key()));
        }
        boolean seesAll = caller.isAdmin() || query.key() != null;
        asked.put("atMost", Integer.toString(seesAll ? atMost : MOST_EVENTS));
        return events.allWithin(asked, SEARCH_WITHIN).thenApply(found -> {
            List<Event> rows = seesAll ? found.rows() : visible(found.rows(), caller);
            return new Gathered<>(
                    rows.stream().sorted(NEWEST_FIRST).limit(atMost).toList(), found.silent());
        });
    }

    private static List<Event> visible(List<Event> rows, Principal caller) {
        Set<String> connections = rows.stream()
                .filter(each -> mayRead(caller, each.key()))
                .map(Event::connectionId)
                .collect(Collectors.toSet());
        return rows.stream()
                .filter(each -> each.key() == null
                        ? each.event() == ClientEvent.Kind.MISSING || connections.contains(each.connectionId())
                        : mayRead(caller, each.key()))
                .toList();
    }

    private static boolean mayRead(Principal caller, @Nullable ConfigKey key) {
        return key != null && caller.mayRead(key);
    }

    private static void put(Map<String, String> asked, String name, @Nullable String value) {
        if (value != null) {
            asked.put(name, value);
        }
    }

    private static Map<String, String> names(ConfigKey key) {
        return Map.of("namespace", key.namespace().id(), "group", key.group(), "dataId", key.dataId());
    }

    private static ConfigKey key(Map<String, String> asked) {
        return new ConfigKey(
                Namespace.ofNullable(asked.get("namespace")), required(asked, "group"), required(asked, "dataId"));
    }

    private static String required(Map<String, String> asked, String name) {
        return Objects.requireNonNull(asked.get(name), name);
    }

    private static Watcher watcher(ListenerReads.Row row) {
        Map<String, String> labels = row.labels() == null ? Map.of() : row.labels();
        return new Watcher(
                row.clientIp(),
                row.connectionId(),
                row.client(),
                row.md5() == null ? "" : row.md5(),
                row.current(),
                labels.getOrDefault(GrayIdentity.APPLICATION, ""),
                GrayIdentity.instance(labels),
                labels,
                ClientConnection.openedMillis(row.connectionId()),
                row.release() == null ? "" : row.release(),
                !row.connectionId().isEmpty() && Sdk.of(row.client()).reportsContents(),
                row.node() == null ? "" : row.node());
    }

    private List<Listened> listenedHere(Map<String, String> asked) {
        return listeners.over(required(asked, "connectionId")).stream()
                .map(each -> new Listened(
                        each.key().namespace().id(),
                        each.key().group(),
                        each.key().dataId(),
                        ListenerReads.md5(each),
                        each.isCurrent(),
                        each.release()))
                .toList();
    }

    private CompletionStage<List<Held>> heldHere(Map<String, String> asked) {
        ConfigKey key = key(asked);
        List<CompletableFuture<Held>> answers = new ArrayList<>();
        for (String id : required(asked, "connectionIds").split(String.valueOf(SEPARATOR), -1)) {
            answers.add(contents.ask(id, key)
                    .thenApply(answer -> new Held(id, self, answer.state(), text(answer.digest())))
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream()
                        .map(CompletableFuture::join)
                        .filter(each -> each.state() != HeldContents.State.NOT_CONNECTED)
                        .toList());
    }

    private List<Event> eventsHere(Map<String, String> asked) {
        EventFilter filter = new EventFilter(
                asked.get("connectionId"),
                asked.get("ip"),
                asked.get("app"),
                asked.get("instance"),
                asked.containsKey("dataId") ? key(asked) : null);
        try {
            return history.find(filter, Integer.parseInt(required(asked, "atMost"))).stream()
                    .map(this::event)
                    .toList();
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The events of clients on " + self + " cannot be read: " + e
                            + "; make the file readable, or delete it",
                    e);
        }
    }

    private Event event(ClientEvent event) {
        SeenClient client = event.client() == null ? new SeenClient("", "", "", "", "") : event.client();
        ConfigKey key = event.key();
        return new Event(
                event.atMillis(),
                event.kind(),
                client.ip(),
                client.app(),
                client.instance(),
                client.sdk(),
                client.connectionId(),
                key == null ? "" : key.namespace().id(),
                key == null ? "" : key.group(),
                key == null ? "" : key.dataId(),
                text(event.digest()),
                event.count(),
                self);
    }

    private static String text(@Nullable ContentDigest digest) {
        return digest == null ? "" : digest.toString();
    }
}
