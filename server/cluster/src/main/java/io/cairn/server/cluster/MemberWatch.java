package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a {@link MemberLookup} in an interval, and notifies a listener of changes. While the source is unavailable or invalid, the
 * last nodes stay. Owns the thread {@code cairn-members}.
 */
public final class MemberWatch implements AutoCloseable {

    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(MemberWatch.class);
    private static final Duration REMINDER = Duration.ofMinutes(10);
    private static final int MAX_PROBLEMS = 32;

    private final MemberLookup lookup;
    private final HostResolver resolver;
    private final Consumer<KnownMembers> listener;
    private final LogThrottle problems;
    private volatile KnownMembers members = KnownMembers.NONE;
    private volatile boolean closed;
    private boolean failing;

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private @Nullable ScheduledExecutorService thread;

    /**
     * @param resolver resolves host names at each read, because addresses change
     * @param listener called with changed nodes or addresses, by one thread at a time; may block, and the next read waits
     */
    public MemberWatch(MemberLookup lookup, HostResolver resolver, Consumer<KnownMembers> listener, Clock clock) {
        this.lookup = lookup;
        this.resolver = resolver;
        this.listener = listener;
        this.problems = new LogThrottle(REMINDER, MAX_PROBLEMS, clock);
    }

    /**
     * Reads in the calling thread, and later in its own. A source other than a list or file may be unavailable: it names no nodes
     * until a later read.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for an unreadable list or file, with the fault
     */
    public void start(Duration interval) {
        synchronized (this) {
            if (closed || started) {
                throw new IllegalStateException(
                        "The watch of " + lookup.source() + " was used before; make another one");
            }
            started = true;
        }
        if (lookup.isComplete()) {
            try {
                accept(lookup.read());
            } catch (IOException e) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, String.valueOf(e.getMessage()), e);
            }
        } else {
            refresh();
        }
        readEvery(interval);
    }

    private synchronized void readEvery(Duration interval) {
        if (closed) {
            return;
        }
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread reader = new Thread(task, "cairn-members");
            reader.setDaemon(true);
            return reader;
        });
        thread.scheduleWithFixedDelay(this::refresh, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The last nodes read; empty before the start. */
    public KnownMembers members() {
        return members;
    }

    void refresh() {
        try {
            accept(lookup.read());
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                fail(e);
            }
        }
    }

    private void accept(List<MemberAddress> read) {
        if (failing) {
            failing = false;
            log.info("The nodes of the cluster can be read again from {}", lookup.source());
        }
        KnownMembers known = new KnownMembers(read, addresses(read));
        KnownMembers before = members;
        if (!closed && !known.equals(before)) {
            members = known;
            log.info("{} names the nodes {}", lookup.source(), read);
            try {
                listener.accept(known);
            } catch (RuntimeException e) {
                // So that the next read notifies again.
                members = before;
                throw e;
            }
        }
    }

    /** In the order of the nodes, and of the texts for a name with several addresses: name servers answer in any order. */
    private List<InetSocketAddress> addresses(List<MemberAddress> read) {
        List<InetSocketAddress> found = new ArrayList<>();
        for (MemberAddress member : read) {
            try {
                resolver.resolve(member.host()).stream()
                        .sorted(Comparator.comparing(InetAddress::getHostAddress))
                        .map(address -> new InetSocketAddress(address, member.groupPort()))
                        .forEach(found::add);
            } catch (UnknownHostException e) {
                if (problems.admits(member.host())) {
                    log.warn(
                            "The node {} of {} cannot be reached: its name is not known to the name server, or that does"
                                    + " not answer. It is looked up again every few seconds",
                            member,
                            lookup.source());
                }
            }
        }
        return found;
    }

    private void fail(Exception problem) {
        failing = true;
        String message = problem instanceof IOException || problem instanceof CairnException
                ? String.valueOf(problem.getMessage())
                : "The nodes of " + lookup.source() + " were not processed: " + problem;
        if (problems.admits(message)) {
            log.warn(
                    "{}. The {} nodes read before stay in use, and they are read again every few seconds",
                    message,
                    members.named().size());
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
