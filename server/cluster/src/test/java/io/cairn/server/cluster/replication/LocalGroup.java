package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;

/**
 * A group without sockets, threads or real time. Messages between two nodes arrive in their order after random delays; messages of
 * different senders overtake each other, after a pause of the receiver by any time. Nodes crash, pause, are split and meet again, and learn of that late and at different times.
 * A few messages are lost or doubled, which the transport never does, so that the repair is exercised too.
 */
final class LocalGroup {

    static final long MILLI = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;
    /** A row is that of a node that beats for this time after its last heartbeat. */
    private static final long BEATING = 6_000 * MILLI;
    /** A database that has not answered for this time is away. */
    private static final long AWAY = 5_000 * MILLI;

    /** A node that takes views and messages. */
    interface Member {
        void view(List<NodeId> members, boolean merged);

        void message(NodeId from, byte[] bytes);
    }

    private record Event(long atNanos, long number, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** The state of a node as the group sees it. */
    final class Station {

        final NodeId id;
        final Member member;
        private final Map<NodeId, Long> lastArrival = new HashMap<>();
        /** Actions to be run after a pause, by their source: a sender, or the node itself. */
        private final Map<NodeId, ArrayDeque<Runnable>> whilePaused = new TreeMap<>();

        private List<NodeId> view = List.of();
        private long lastInstall;
        private long pausedUntil;
        private boolean crashed;
        private boolean suspected;
        private int part;
        private long withoutDatabaseSince = NEVER;

        Station(NodeId id, Member member) {
            this.id = id;
            this.member = member;
        }

        boolean isRunning() {
            return !crashed && now >= pausedUntil;
        }

        boolean isWithoutDatabase() {
            return withoutDatabaseSince != NEVER;
        }

        /** Runs the action in the node: later while it is paused, never when it has crashed. */
        private void run(NodeId source, Runnable action) {
            if (crashed) {
                return;
            }
            if (now < pausedUntil || !whilePaused.isEmpty()) {
                whilePaused
                        .computeIfAbsent(source, absent -> new ArrayDeque<>())
                        .add(action);
            } else {
                action.run();
            }
        }

        /** Each source has a thread of its own, so only the actions of one source are in their order. */
        private void runAfterPause() {
            while (!crashed && !whilePaused.isEmpty()) {
                List<NodeId> sources = List.copyOf(whilePaused.keySet());
                NodeId source = sources.get(random.nextInt(sources.size()));
                ArrayDeque<Runnable> actions = whilePaused.get(source);
                Runnable next = actions.remove();
                if (actions.isEmpty()) {
                    whilePaused.remove(source);
                }
                next.run();
            }
        }
    }

    final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<NodeId, Station> stations = new TreeMap<>();
    private final Map<NodeId, Map<NodeId, List<byte[]>>> cutOff = new HashMap<>();
    private long number;
    private long now;
    private boolean lossy = true;
    int lost;

    LocalGroup(long seed) {
        this.random = new Random(seed);
    }

    long now() {
        return now;
    }

    long between(long fromMillis, long toMillis) {
        return (fromMillis + (long) (random.nextDouble() * (toMillis - fromMillis))) * MILLI;
    }

    void after(long nanos, Runnable action) {
        events.add(new Event(now + Math.max(0, nanos), ++number, action));
    }

    /** As {@link #after}, in the node: not when it has crashed by then, and later when it is paused. */
    void after(Station station, long nanos, Runnable action) {
        after(nanos, () -> station.run(station.id, action));
    }

    void runUntil(long nanos) {
        while (!events.isEmpty() && events.peek().atNanos() <= nanos) {
            Event next = events.remove();
            now = next.atNanos();
            next.action().run();
        }
        now = nanos;
    }

    Clock clock(long skewMillis) {
        return new Clock() {
            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(millis());
            }

            @Override
            public long millis() {
                return 1_800_000_000_000L + now / MILLI + skewMillis;
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException("the clock of the group has the zone UTC");
            }
        };
    }

    Station join(NodeId id, Member member) {
        Station station = new Station(id, member);
        stations.put(id, station);
        reconfigureAfter(between(100, 1_000));
        return station;
    }

    List<Station> running() {
        return stations.values().stream().filter(Station::isRunning).toList();
    }

    /** The nodes whose rows in the database are written, as the node knows; none when it does not reach the database. */
    List<NodeId> beating(Station reader) {
        return isDatabaseAway(reader)
                ? List.of()
                : stations.values().stream()
                        .filter(Station::isRunning)
                        .filter(each -> !each.isWithoutDatabase() || now - each.withoutDatabaseSince < BEATING)
                        .map(each -> each.id)
                        .toList();
    }

    /** Whether the node has found out that it does not reach the database. */
    boolean isDatabaseAway(Station station) {
        return station.isWithoutDatabase() && now - station.withoutDatabaseSince >= AWAY;
    }

    /** Loses and doubles no more messages. */
    void calm() {
        lossy = false;
    }

    void send(Station from, NodeId to, byte[] bytes) {
        Station receiver = stations.get(to);
        if (receiver == null || receiver.crashed) {
            return;
        }
        if (receiver.part != from.part) {
            cutOff.computeIfAbsent(from.id, absent -> new HashMap<>())
                    .computeIfAbsent(to, absent -> new ArrayList<>())
                    .add(bytes);
            return;
        }
        int copies = 1;
        if (lossy && random.nextInt(300) == 0) {
            copies = random.nextInt(3) == 0 ? 2 : 0;
            lost++;
        }
        for (int i = 0; i < copies; i++) {
            deliver(from, receiver, bytes);
        }
    }

    private void deliver(Station from, Station receiver, byte[] bytes) {
        long delay = random.nextInt(20) == 0 ? between(5, 400) : between(0, 5);
        long arrival = Math.max(now + delay, from.lastArrival.getOrDefault(receiver.id, 0L));
        from.lastArrival.put(receiver.id, arrival);
        after(arrival - now, () -> receiver.run(from.id, () -> receiver.member.message(from.id, bytes)));
    }

    void crash(Station station) {
        station.crashed = true;
        station.whilePaused.clear();
        reconfigureAfter(random.nextBoolean() ? between(1_000, 2_000) : between(6_000, 9_000));
    }

    void pause(Station station, long nanos) {
        station.pausedUntil = now + nanos;
        if (nanos > 7_500 * MILLI) {
            after(between(7_500, 9_000), () -> {
                if (!station.crashed && now < station.pausedUntil) {
                    station.suspected = true;
                    reconfigure(false);
                }
            });
        }
        after(nanos, () -> {
            station.runAfterPause();
            if (station.suspected) {
                after(between(1_000, 6_000), () -> {
                    station.suspected = false;
                    reconfigure(true);
                });
            }
        });
    }

    /** Cuts one node off from the others. */
    void split(Station one, long nanos) {
        split(one, nanos, between(6_000, 9_000));
    }

    /** Cuts one node off from the others and the database. The connections break, so the others notice it as they notice a death. */
    void splitFromAll(Station one, long nanos) {
        one.withoutDatabaseSince = now;
        after(nanos, () -> one.withoutDatabaseSince = NEVER);
        split(one, nanos, between(1_000, 2_000));
    }

    private void split(Station one, long nanos, long noticedAfter) {
        one.part = 1;
        reconfigureAfter(noticedAfter);
        after(nanos, () -> {
            boolean noticed = stations.values().stream()
                    .anyMatch(station -> !station.crashed && station != one && !station.view.contains(one.id));
            one.part = 0;
            cutOff.forEach((from, byReceiver) -> byReceiver.forEach((to, messages) -> {
                // Unnoticed, the transport sends again all that was not acknowledged; otherwise some arrive late, in
                // the end none.
                int arrive = noticed ? random.nextInt(messages.size() + 1) : messages.size();
                Station sender = stations.get(from);
                Station receiver = stations.get(to);
                if (sender != null && receiver != null && !receiver.crashed) {
                    messages.subList(0, arrive).forEach(bytes -> deliver(sender, receiver, bytes));
                }
            }));
            cutOff.clear();
            after(between(1_000, 6_000), () -> reconfigure(true));
        });
    }

    private void reconfigureAfter(long nanos) {
        after(nanos, () -> reconfigure(false));
    }

    /**
     * Brings each node the view of its part. After a merge a node may see the members that it has seen before, because the others
     * alone have noticed that it was away; sometimes it is not even told that there was a merge.
     */
    private void reconfigure(boolean merge) {
        for (Station station : stations.values()) {
            if (station.crashed || station.suspected) {
                continue;
            }
            List<NodeId> members = stations.values().stream()
                    .filter(other -> !other.crashed && !other.suspected && other.part == station.part)
                    .map(other -> other.id)
                    .toList();
            long at = Math.max(now + between(0, 300), station.lastInstall);
            station.lastInstall = at;
            after(station, at - now, () -> install(station, members, merge && random.nextBoolean()));
        }
    }

    private void install(Station station, List<NodeId> members, boolean merge) {
        if (members.equals(station.view) && !merge) {
            return;
        }
        boolean merged = merge || members.stream().anyMatch(id -> !station.view.contains(id));
        station.view = members;
        station.member.view(members, merged);
    }

    List<NodeId> viewOf(Station station) {
        return station.view;
    }
}
