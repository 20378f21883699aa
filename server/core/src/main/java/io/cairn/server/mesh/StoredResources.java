package io.cairn.server.mesh;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.query.ConfigQueryStore;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.EnvoyResource;
import io.cairn.server.mesh.StoredReleases.Config;
import io.cairn.server.mesh.StoredReleases.Release;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored resources, each read once after a change. Only {@link #start} blocks. Nothing is read before; the reading thread ends
 * when idle.
 */
public final class StoredResources implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(StoredResources.class);
    private static final long RETRY_SECONDS = 1;
    private static final long IDLE_SECONDS = 30;
    private static final Comparator<StoredGray> BY_PRIORITY = Comparator.comparingInt(
                    (StoredGray gray) -> gray.rule().priority())
            .reversed()
            .thenComparing(gray -> gray.rule().name());

    private final String group;
    private final @Nullable EnvoyResources resources;
    private final ConfigView view;
    private final ConfigQueryStore store;
    private final Clock clock;

    private final Map<Namespace, StoredReleases> namespaces = new ConcurrentHashMap<>();
    private final Set<ConfigKey> dirty = ConcurrentHashMap.newKeySet();
    private final List<Consumer<Namespace>> followers = new CopyOnWriteArrayList<>();
    private final AtomicInteger wakes = new AtomicInteger();
    private final Object reading = new Object();
    private final ScheduledThreadPoolExecutor thread;
    private volatile boolean started;
    private volatile boolean isRead;

    /**
     * The properties of a node that select its stored resources; equal for nodes with the same ones.
     *
     * @param application the node's cluster where a resource is for it alone; else empty
     * @param grayReleases at most one for each configuration
     */
    public record Reader(Namespace namespace, String application, Set<GrayRelease> grayReleases) {

        public Reader {
            grayReleases = Set.copyOf(grayReleases);
        }

        /** A node without application and gray release. */
        public static Reader any(Namespace namespace) {
            return new Reader(namespace, "", Set.of());
        }
    }

    public record GrayRelease(ConfigKey key, GrayRule rule) {}

    /**
     * @param grayName empty for the version for all nodes
     * @param since the time of the discovery
     * @param hasEarlier whether proxies keep an earlier version
     */
    public record Unreadable(ConfigKey key, String grayName, String problem, Instant since, boolean hasEarlier) {}

    /**
     * @param group of the stored resources; may be empty
     * @param resources null without the module that reads them
     */
    public StoredResources(
            String group, @Nullable EnvoyResources resources, ConfigView view, ConfigQueryStore store, Clock clock) {
        this.group = group;
        this.resources = group.isEmpty() ? null : resources;
        this.view = view;
        this.store = store;
        this.clock = clock;
        this.thread = new ScheduledThreadPoolExecutor(1, work -> {
            Thread created = new Thread(work, "cairn-mesh-stored");
            created.setDaemon(true);
            return created;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        if (this.resources != null) {
            view.onChange(this::changed);
        }
    }

    /** The follower runs after a change of a namespace, on the reading thread: must be quick. */
    public void follow(Consumer<Namespace> follower) {
        followers.add(follower);
    }

    /**
     * Reads everything at the first call; later ones return at once. Blocks.
     *
     * @throws CairnException {@code UNAVAILABLE} for an unreadable database or descriptors; a proxy must not be answered then as if
     *     there were no stored resources
     */
    public void start() {
        if (resources == null || isRead) {
            return;
        }
        synchronized (reading) {
            if (!isRead) {
                started = true;
                view.forEach(entry -> markChanged(entry.key()));
                view.forEachGray(entry -> markChanged(entry.key()));
                readChanged(resources);
                isRead = true;
            }
        }
    }

    private void markChanged(ConfigKey key) {
        if (key.group().equals(group) && StoredName.of(key.dataId()).isPresent()) {
            dirty.add(key);
        }
    }

    private void changed(ConfigKey key) {
        if (started && key.group().equals(group)) {
            markChanged(key);
            wake();
        }
    }

    private void wake() {
        if (wakes.getAndIncrement() == 0) {
            try {
                thread.execute(this::readAwaited);
            } catch (RejectedExecutionException e) {
                LOG.debug("A changed resource is not read any more: the server stops");
            }
        }
    }

    private void readAwaited() {
        EnvoyResources reader = resources;
        if (reader == null) {
            return;
        }
        wakes.set(0);
        try {
            readChanged(reader);
        } catch (RuntimeException e) {
            LOG.warn(
                    "Stored resources of the mesh could not be read, {} remain; the next attempt is in {} s",
                    dirty.size(),
                    RETRY_SECONDS,
                    e);
            if (!thread.isShutdown()) {
                thread.schedule(this::readAwaited, RETRY_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** Reads and shows the changed ones; unreadable ones stay marked. */
    private void readChanged(EnvoyResources reader) {
        Set<Namespace> changed = new HashSet<>();
        synchronized (reading) {
            try {
                for (ConfigKey key : List.copyOf(dirty)) {
                    // Removed before the read: a later change is read again.
                    dirty.remove(key);
                    boolean isDone = false;
                    try {
                        read(key, reader);
                        changed.add(key.namespace());
                        isDone = true;
                    } finally {
                        if (!isDone) {
                            dirty.add(key);
                        }
                    }
                }
            } finally {
                for (Namespace namespace : changed) {
                    followers.forEach(follower -> follower.accept(namespace));
                }
            }
        }
    }

    private void read(ConfigKey key, EnvoyResources reader) {
        StoredReleases before = namespaces.getOrDefault(key.namespace(), StoredReleases.NONE);
        StoredName name = StoredName.of(key.dataId()).orElseThrow();
        // One at a time on its own thread, so these count as no response.
        MemoryLease lease = AnswerMemory.unlimited().lease();
        List<StoredConfig> stored = store.rows(List.of(key), true).all(lease);
        List<StoredGray> grays = store.grays(key, view.grayNames(key)).all(lease);
        List<Release> releases = new ArrayList<>();
        Config known = before.config(key);
        for (StoredGray gray : grays.stream().sorted(BY_PRIORITY).toList()) {
            releases.add(release(key, name, gray.rule(), gray.content(), gray.encryptedDataKey(), known, reader));
        }
        String application = "";
        for (StoredConfig config : stored) {
            application = config.appName();
            String content = config.content() == null ? "" : config.content();
            releases.add(release(key, name, null, content, config.encryptedDataKey(), known, reader));
        }
        Config now = releases.isEmpty() ? null : new Config(application, List.copyOf(releases));
        namespaces.put(key.namespace(), before.with(key, now));
    }

    private Release release(
            ConfigKey key,
            StoredName name,
            @Nullable GrayRule rule,
            String content,
            String encryptedDataKey,
            @Nullable Config known,
            EnvoyResources reader) {
        String problem;
        if (encryptedDataKey.isEmpty()) {
            Checked checked = reader.check(name, content);
            EnvoyResource resource = checked.resource();
            if (resource != null) {
                long hash = ContentHash.of(resource.value());
                return new Release(
                        rule,
                        new StoredResource(name, resource.value(), hash, resource.clusters(), resource.isApiListener()),
                        null);
            }
            EnvoyResources.ResourceProblem first = checked.problems().get(0);
            problem = (first.line() == 0 ? "" : "line " + first.line() + ", column " + first.column() + ": ")
                    + first.text();
        } else {
            problem = "it is encrypted";
        }
        String grayName = rule == null ? "" : rule.name();
        Release earlier = known == null
                ? null
                : known.releases().stream()
                        .filter(release -> release.name().equals(grayName))
                        .findFirst()
                        .orElse(null);
        StoredResource kept = earlier == null ? null : earlier.resource();
        Unreadable unreadable = earlier == null ? null : earlier.unreadable();
        if (unreadable == null || !unreadable.problem().equals(problem)) {
            unreadable = new Unreadable(key, grayName, problem, clock.instant(), kept != null);
            LOG.warn(
                    "{}{} cannot be read as a resource of the mesh: {}; proxies {}",
                    key,
                    grayName.isEmpty() ? "" : " (gray release " + grayName + ")",
                    problem,
                    kept == null ? "do not get it" : "keep the version before");
        }
        return new Release(rule, kept, unreadable);
    }

    /** The node's present properties, which may change with the stored resources. */
    public Reader readerOf(Namespace namespace, String cluster, GrayClient node) {
        return namespaces.getOrDefault(namespace, StoredReleases.NONE).readerOf(namespace, cluster, node);
    }

    /** Whether a version of a configuration is a listener that only gRPC libraries use. */
    public boolean isApiListener(ConfigKey key) {
        Config config =
                namespaces.getOrDefault(key.namespace(), StoredReleases.NONE).config(key);
        return config != null
                && config.releases().stream()
                        .map(Release::resource)
                        .anyMatch(resource -> resource != null && resource.isApiListener());
    }

    /** The resource that nodes of a cluster get from a configuration; empty for another configuration. */
    public Optional<StoredName> nameFor(ConfigKey key, String cluster) {
        if (resources == null || !key.group().equals(group)) {
            return Optional.empty();
        }
        Config config =
                namespaces.getOrDefault(key.namespace(), StoredReleases.NONE).config(key);
        return config == null || config.isFor(cluster) ? StoredName.of(key.dataId()) : Optional.empty();
    }

    /**
     * Whether the reader's gray releases are unchanged. Else its nodes have another kind, and must not get the version for all
     * meanwhile.
     */
    public boolean isCurrent(Reader reader) {
        return namespaces.getOrDefault(reader.namespace(), StoredReleases.NONE).isCurrent(reader);
    }

    /** The node's resources by type URL and name: the same immutable object until a change. */
    public Map<String, Map<String, StoredResource>> of(Reader reader) {
        return namespaces.getOrDefault(reader.namespace(), StoredReleases.NONE).of(reader);
    }

    public List<Unreadable> unreadable(Namespace namespace) {
        return namespaces.getOrDefault(namespace, StoredReleases.NONE).unreadable();
    }

    /** @throws CairnException {@code UNAVAILABLE} with the reason on a server without the reader */
    public EnvoyResources mustRead() {
        if (resources == null) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    group.isEmpty()
                            ? "Stored resources are switched off (cairn.xds.group is empty)"
                            : "This server has no module for Envoy's resources (expected: cairn-server-envoy and"
                                    + " protobuf-java in lib)");
        }
        return resources;
    }

    /** May be empty. */
    public String group() {
        return group;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
