package io.cairn.server.cluster.wire;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.naming.LossCause;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of each message. A tag is never reused in a message; a new field has a value for its absence. */
final class MessageFields {

    /** The wire code of a state is its index. */
    private static final List<NodeState> STATES =
            List.of(NodeState.JOINING, NodeState.READY, NodeState.DRAINING, NodeState.ISOLATED);

    private static final List<ClusterMessage.Forward.Kind> FORWARDED = List.of(
            ClusterMessage.Forward.Kind.DEREGISTER,
            ClusterMessage.Forward.Kind.REGISTER,
            ClusterMessage.Forward.Kind.BEAT,
            ClusterMessage.Forward.Kind.LIGHT_BEAT,
            ClusterMessage.Forward.Kind.HEALTH);

    private MessageFields() {}

    static void write(FieldWriter out, ClusterMessage.Hello hello) {
        writeNode(out, 1, hello.node());
        out.number(2, hello.grpcPort());
        out.number(3, hello.groupPort());
        out.text(4, hello.version());
        out.number(5, hello.oldestProtocol());
        out.number(6, hello.newestProtocol());
        out.number(7, STATES.indexOf(hello.state()));
        out.number(8, hello.stream());
        out.number(9, hello.sequence());
        out.fixed(10, hello.settingsDigest());
        out.text(11, hello.keysFingerprint());
    }

    static ClusterMessage.Hello readHello(FieldReader in) {
        NodeId node = null;
        int grpcPort = 0;
        int groupPort = 0;
        String version = "";
        int oldest = 0;
        int newest = 0;
        NodeState state = NodeState.JOINING;
        long stream = -1;
        long sequence = -1;
        long settings = 0;
        String keys = "";
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> node = readNode(in.nested("node"));
                case 2 -> grpcPort = in.number("grpcPort", 0, 65535);
                case 3 -> groupPort = in.number("groupPort", 0, 65535);
                case 4 -> version = in.text();
                case 5 -> oldest = in.number("oldestProtocol", 1, Integer.MAX_VALUE);
                case 6 -> newest = in.number("newestProtocol", 1, Integer.MAX_VALUE);
                case 7 -> state = readState(in);
                case 8 -> stream = in.count("stream");
                case 9 -> sequence = in.count("sequence");
                case 10 -> settings = in.fixed("settingsDigest");
                case 11 -> keys = in.text();
                default -> skip();
            }
        }
        if (node == null) {
            throw in.malformed("node", "absent");
        }
        if (oldest < 1 || newest < oldest) {
            throw in.malformed("protocols", oldest + "-" + newest + " (expected: a range from 1 up)");
        }
        return new ClusterMessage.Hello(
                node,
                grpcPort,
                groupPort,
                version,
                oldest,
                newest,
                state,
                needed(in, "stream", stream),
                needed(in, "sequence", sequence),
                settings,
                keys);
    }

    private static NodeState readState(FieldReader in) {
        return STATES.get(in.number("state", 0, STATES.size() - 1));
    }

    private static void writeNode(FieldWriter out, int tag, NodeId node) {
        int start = out.open(tag);
        out.text(1, node.address());
        out.number(2, node.incarnation());
        out.close(start);
    }

    private static NodeId readNode(FieldReader in) {
        String address = "";
        long incarnation = 0;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> address = in.text();
                case 2 -> incarnation = in.count("incarnation");
                default -> skip();
            }
        }
        if (address.isBlank() || incarnation <= 0) {
            throw in.malformed("address", "'" + address + "', incarnation " + incarnation + " (expected: both)");
        }
        return new NodeId(address, incarnation);
    }

    static void write(FieldWriter out, ClusterMessage.Heartbeat heartbeat) {
        out.number(1, heartbeat.stream());
        out.number(2, heartbeat.sequence());
        out.number(3, heartbeat.count());
        out.fixed(4, heartbeat.digest());
        out.number(5, STATES.indexOf(heartbeat.state()));
        out.number(6, heartbeat.clock());
        out.number(7, heartbeat.revision(), 0);
        out.number(8, heartbeat.connections(), 0);
        out.number(9, heartbeat.load(), 0);
        out.number(10, heartbeat.time(), 0);
        ClusterMessage.Heartbeat.Followed followed = heartbeat.followed();
        out.number(11, followed.failing(), 0);
        out.number(12, followed.following(), 0);
        out.number(13, followed.sinceCompared(), ClusterMessage.Heartbeat.Followed.NEVER);
        if (followed.lastCommit() != RevisionFollower.NO_COMMIT) {
            out.fixed(14, followed.lastCommit());
        }
    }

    static ClusterMessage.Heartbeat readHeartbeat(FieldReader in) {
        long stream = -1;
        long sequence = -1;
        long count = -1;
        long digest = 0;
        NodeState state = NodeState.JOINING;
        long clock = -1;
        long revision = 0;
        long connections = 0;
        long load = 0;
        long time = 0;
        long failing = 0;
        long following = 0;
        long sinceCompared = ClusterMessage.Heartbeat.Followed.NEVER;
        long lastCommit = RevisionFollower.NO_COMMIT;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> stream = in.count("stream");
                case 2 -> sequence = in.count("sequence");
                case 3 -> count = in.count("count");
                case 4 -> digest = in.fixed("digest");
                case 5 -> state = readState(in);
                case 6 -> clock = in.count("clock");
                case 7 -> revision = in.count("revision");
                case 8 -> connections = in.count("connections");
                case 9 -> load = in.count("load");
                case 10 -> time = in.count("time");
                case 11 -> failing = in.count("failing");
                case 12 -> following = in.count("following");
                case 13 -> sinceCompared = in.count("sinceCompared");
                case 14 -> lastCommit = in.fixed("lastCommit");
                default -> skip();
            }
        }
        return new ClusterMessage.Heartbeat(
                needed(in, "stream", stream),
                needed(in, "sequence", sequence),
                needed(in, "count", count),
                digest,
                state,
                needed(in, "clock", clock),
                revision,
                connections,
                load,
                time,
                new ClusterMessage.Heartbeat.Followed(failing, following, sinceCompared, lastCommit));
    }

    static ClusterMessage.Leaving readLeaving(FieldReader in) {
        while (in.next()) {
            skip();
        }
        return new ClusterMessage.Leaving();
    }

    static void write(FieldWriter out, ClusterMessage.StreamPosition position) {
        out.number(1, position.stream());
        out.number(2, position.incarnation());
        out.number(3, position.sequence(), ClusterMessage.StreamPosition.NONE);
    }

    static ClusterMessage.StreamPosition readStreamPosition(FieldReader in) {
        long stream = -1;
        long incarnation = -1;
        long sequence = ClusterMessage.StreamPosition.NONE;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> stream = in.count("stream");
                case 2 -> incarnation = in.count("incarnation");
                case 3 -> sequence = in.count("sequence");
                default -> skip();
            }
        }
        return new ClusterMessage.StreamPosition(
                needed(in, "stream", stream), needed(in, "incarnation", incarnation), sequence);
    }

    static void write(FieldWriter out, ClusterMessage.Delta delta) {
        writeDelta(out, delta.stream(), delta.incarnation(), delta.from(), delta.to());
        writeEntries(out, delta.entries());
    }

    static void writeDelta(FieldWriter out, long stream, long incarnation, long from, long to) {
        out.number(1, stream);
        out.number(2, incarnation);
        out.number(3, from);
        out.number(4, to);
    }

    private static void writeEntries(FieldWriter out, List<RegistryEntry> entries) {
        EntryFields.Writer writer = new EntryFields.Writer(out);
        for (RegistryEntry entry : entries) {
            writer.add(entry, Integer.MAX_VALUE);
        }
    }

    static ClusterMessage.Delta readDelta(FieldReader in) {
        long stream = -1;
        long incarnation = -1;
        long from = -1;
        long to = -1;
        EntryFields.Reader entries = new EntryFields.Reader();
        while (in.next()) {
            if (!entries.takes(in)) {
                switch (in.tag()) {
                    case 1 -> stream = in.count("stream");
                    case 2 -> incarnation = in.count("incarnation");
                    case 3 -> from = in.count("from");
                    case 4 -> to = in.count("to");
                    default -> skip();
                }
            }
        }
        if (from < 0 || to < from) {
            throw in.malformed("to", "from " + from + " to " + to + " (expected: a range)");
        }
        return new ClusterMessage.Delta(
                needed(in, "stream", stream), needed(in, "incarnation", incarnation), from, to, entries.entries());
    }

    static void write(FieldWriter out, ClusterMessage.Snapshot snapshot) {
        writeSnapshot(
                out,
                snapshot.stream(),
                snapshot.incarnation(),
                snapshot.part(),
                snapshot.last(),
                snapshot.at(),
                snapshot.endsSince());
        writeEntries(out, snapshot.entries());
    }

    static void writeSnapshot(
            FieldWriter out, long stream, long incarnation, int part, boolean last, long at, long endsSince) {
        out.number(1, stream);
        out.number(2, incarnation);
        out.number(3, part);
        out.number(4, last ? 1 : 0, 0);
        out.number(5, at, 0);
        out.number(6, endsSince);
    }

    static ClusterMessage.Snapshot readSnapshot(FieldReader in) {
        long stream = -1;
        long incarnation = -1;
        int part = -1;
        boolean last = false;
        long at = 0;
        long endsSince = -1;
        EntryFields.Reader entries = new EntryFields.Reader();
        while (in.next()) {
            if (!entries.takes(in)) {
                switch (in.tag()) {
                    case 1 -> stream = in.count("stream");
                    case 2 -> incarnation = in.count("incarnation");
                    case 3 -> part = in.number("part", 0, Integer.MAX_VALUE);
                    case 4 -> last = in.flag("last");
                    case 5 -> at = in.count("at");
                    case 6 -> endsSince = in.count("endsSince");
                    default -> skip();
                }
            }
        }
        return new ClusterMessage.Snapshot(
                needed(in, "stream", stream),
                needed(in, "incarnation", incarnation),
                (int) needed(in, "part", part),
                last,
                at,
                needed(in, "endsSince", endsSince),
                entries.entries());
    }

    static void write(FieldWriter out, ClusterMessage.SnapshotRequest request) {
        out.number(1, request.stream());
    }

    static ClusterMessage.SnapshotRequest readSnapshotRequest(FieldReader in) {
        return new ClusterMessage.SnapshotRequest(onlyNumber(in, "stream"));
    }

    static void write(FieldWriter out, ClusterMessage.Orphans orphans) {
        writeOrphans(out, orphans.owner(), orphans.age(), orphans.part(), orphans.last());
        writeEntries(out, orphans.entries());
    }

    static void writeOrphans(FieldWriter out, NodeId owner, long age, int part, boolean last) {
        writeNode(out, 1, owner);
        boolean begins = age >= 0 || age == ClusterMessage.Orphans.NOT_STARTED;
        out.number(2, begins ? age : 0, ClusterMessage.Orphans.NOT_STARTED);
        out.number(3, part);
        out.number(4, last ? 1 : 0, 0);
        // A node without the field begins the window at once.
        out.number(5, begins ? 0 : -age, 0);
    }

    static ClusterMessage.Orphans readOrphans(FieldReader in) {
        NodeId owner = null;
        long age = ClusterMessage.Orphans.NOT_STARTED;
        int part = -1;
        boolean last = false;
        EntryFields.Reader entries = new EntryFields.Reader();
        while (in.next()) {
            if (!entries.takes(in)) {
                switch (in.tag()) {
                    case 1 -> owner = readNode(in.nested("owner"));
                    case 2 -> age = in.count("age");
                    case 3 -> part = in.number("part", 0, Integer.MAX_VALUE);
                    case 4 -> last = in.flag("last");
                    case 5 -> age = -in.count("delay");
                    default -> skip();
                }
            }
        }
        if (owner == null) {
            throw in.malformed("owner", "absent");
        }
        return new ClusterMessage.Orphans(owner, age, (int) needed(in, "part", part), last, entries.entries());
    }

    static void write(FieldWriter out, ClusterMessage.DepartedPosition position) {
        writeNode(out, 1, position.owner());
        out.number(2, position.sequence(), ClusterMessage.StreamPosition.NONE);
    }

    static ClusterMessage.DepartedPosition readDepartedPosition(FieldReader in) {
        NodeId owner = null;
        long sequence = ClusterMessage.StreamPosition.NONE;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> owner = readNode(in.nested("owner"));
                case 2 -> sequence = in.count("sequence");
                default -> skip();
            }
        }
        if (owner == null) {
            throw in.malformed("owner", "absent");
        }
        return new ClusterMessage.DepartedPosition(owner, sequence);
    }

    static void write(FieldWriter out, ClusterMessage.Fragment fragment) {
        out.number(1, fragment.index());
        out.number(2, fragment.last() ? 1 : 0, 0);
        out.bytes(3, fragment.bytes());
    }

    static ClusterMessage.Fragment readFragment(FieldReader in) {
        int index = -1;
        boolean last = false;
        byte[] bytes = new byte[0];
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> index = in.number("index", 0, Integer.MAX_VALUE);
                case 2 -> last = in.flag("last");
                case 3 -> bytes = in.bytes();
                default -> skip();
            }
        }
        return new ClusterMessage.Fragment((int) needed(in, "index", index), last, bytes);
    }

    static void write(FieldWriter out, ClusterMessage.RevisionNotice notice) {
        out.number(1, notice.revision());
    }

    static ClusterMessage.RevisionNotice readRevisionNotice(FieldReader in) {
        return new ClusterMessage.RevisionNotice(onlyNumber(in, "revision"));
    }

    static void write(FieldWriter out, ClusterMessage.RevisionApplied applied) {
        out.number(1, applied.revision());
    }

    static ClusterMessage.RevisionApplied readRevisionApplied(FieldReader in) {
        return new ClusterMessage.RevisionApplied(onlyNumber(in, "revision"));
    }

    static void write(FieldWriter out, ClusterMessage.Forward forward) {
        out.number(1, forward.id());
        for (ClusterMessage.Forward.Write each : forward.writes()) {
            int start = out.open(2);
            out.number(1, FORWARDED.indexOf(each.kind()));
            int service = out.open(2);
            EntryFields.writeService(out, each.service());
            out.close(service);
            int instance = out.open(3);
            InstanceFields.write(out, each.instance());
            out.close(instance);
            out.number(4, each.cause() == LossCause.REMOVED ? 1 : 0, 0);
            out.number(5, each.publishedAt(), 0);
            out.close(start);
        }
    }

    static ClusterMessage.Forward readForward(FieldReader in) {
        long id = -1;
        List<ClusterMessage.Forward.Write> writes = new ArrayList<>();
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> id = in.count("id");
                case 2 -> writes.add(readWrite(in.nested("write")));
                default -> skip();
            }
        }
        return new ClusterMessage.Forward(needed(in, "id", id), writes);
    }

    private static ClusterMessage.Forward.Write readWrite(FieldReader in) {
        int kind = -1;
        ServiceKey service = null;
        Instance instance = null;
        LossCause cause = LossCause.DEREGISTERED;
        long publishedAt = 0;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> kind = in.number("kind", 0, FORWARDED.size() - 1);
                case 2 -> service = EntryFields.readService(in.nested("service"));
                case 3 -> instance = InstanceFields.readInstance(in.nested("instance"));
                case 4 -> cause = in.number("removed", 0, 1) == 1 ? LossCause.REMOVED : LossCause.DEREGISTERED;
                case 5 -> publishedAt = in.count("publishedAt");
                default -> skip();
            }
        }
        if (kind < 0 || service == null || instance == null) {
            throw in.malformed("service", "the operation, the service or the instance is absent");
        }
        return new ClusterMessage.Forward.Write(FORWARDED.get(kind), service, instance, cause, publishedAt);
    }

    static void write(FieldWriter out, ClusterMessage.Forwarded forwarded) {
        out.number(1, forwarded.id());
        for (ClusterMessage.Forwarded.Result each : forwarded.results()) {
            int start = out.open(2);
            ClusterMessage.Forwarded.Refusal refusal = each.refusal();
            out.number(1, refusal == null ? 1 : 0);
            if (refusal != null) {
                out.text(2, refusal.text());
                out.text(3, refusal.code(), "");
            }
            out.number(4, each.isKnown() ? 0 : 1, 0);
            out.number(5, each.beatIntervalMillis(), 0);
            out.close(start);
        }
    }

    static ClusterMessage.Forwarded readForwarded(FieldReader in) {
        long id = -1;
        List<ClusterMessage.Forwarded.Result> results = new ArrayList<>();
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> id = in.count("id");
                case 2 -> results.add(readResult(in.nested("result")));
                default -> skip();
            }
        }
        return new ClusterMessage.Forwarded(needed(in, "id", id), results);
    }

    private static ClusterMessage.Forwarded.Result readResult(FieldReader in) {
        int done = -1;
        String text = "";
        String code = "";
        boolean isUnknown = false;
        long beatIntervalMillis = 0;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> done = in.number("done", 0, 1);
                case 2 -> text = in.text();
                case 3 -> code = in.text();
                case 4 -> isUnknown = in.number("unknown", 0, 1) == 1;
                case 5 -> beatIntervalMillis = in.count("beatInterval");
                default -> skip();
            }
        }
        return new ClusterMessage.Forwarded.Result(
                !isUnknown,
                beatIntervalMillis,
                needed(in, "done", done) == 1 ? null : new ClusterMessage.Forwarded.Refusal(code, text));
    }

    static void write(FieldWriter out, ClusterMessage.Beats beats) {
        writeInstances(out, beats.instances());
    }

    static ClusterMessage.Beats readBeats(FieldReader in) {
        return new ClusterMessage.Beats(readInstances(in));
    }

    static void write(FieldWriter out, ClusterMessage.UnknownBeats beats) {
        writeInstances(out, beats.instances());
    }

    static ClusterMessage.UnknownBeats readUnknownBeats(FieldReader in) {
        return new ClusterMessage.UnknownBeats(readInstances(in));
    }

    private static void writeInstances(FieldWriter out, List<ClusterMessage.InstanceOfService> instances) {
        for (ClusterMessage.InstanceOfService each : instances) {
            int start = out.open(1);
            int service = out.open(1);
            EntryFields.writeService(out, each.service());
            out.close(service);
            int instance = out.open(2);
            InstanceFields.writeKey(out, each.instance());
            out.close(instance);
            out.close(start);
        }
    }

    private static List<ClusterMessage.InstanceOfService> readInstances(FieldReader in) {
        List<ClusterMessage.InstanceOfService> instances = new ArrayList<>();
        while (in.next()) {
            if (in.tag() == 1) {
                instances.add(readInstanceOfService(in.nested("instance")));
            }
        }
        return instances;
    }

    private static ClusterMessage.InstanceOfService readInstanceOfService(FieldReader in) {
        ServiceKey service = null;
        InstanceKey instance = null;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> service = EntryFields.readService(in.nested("service"));
                case 2 -> instance = InstanceFields.readKey(in.nested("instanceKey"));
                default -> skip();
            }
        }
        if (service == null || instance == null) {
            throw in.malformed("service", "the service or the instance is absent");
        }
        return new ClusterMessage.InstanceOfService(service, instance);
    }

    static void write(FieldWriter out, ClusterMessage.Question question) {
        out.number(1, question.id());
        out.text(2, question.name());
        for (Map.Entry<String, String> each : question.parameters().entrySet()) {
            int start = out.open(3);
            out.text(1, each.getKey());
            out.text(2, each.getValue());
            out.close(start);
        }
    }

    static ClusterMessage.Question readQuestion(FieldReader in) {
        long id = -1;
        String name = "";
        Map<String, String> parameters = new LinkedHashMap<>();
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> id = in.count("id");
                case 2 -> name = in.text();
                case 3 -> readParameter(in.nested("parameter"), parameters);
                default -> skip();
            }
        }
        return new ClusterMessage.Question(needed(in, "id", id), name, parameters);
    }

    private static void readParameter(FieldReader in, Map<String, String> parameters) {
        String key = "";
        String value = "";
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> key = in.text();
                case 2 -> value = in.text();
                default -> skip();
            }
        }
        parameters.put(key, value);
    }

    static void write(FieldWriter out, ClusterMessage.Answer answer) {
        out.number(1, answer.id());
        out.text(2, answer.json());
        ClusterMessage.Forwarded.Refusal refusal = answer.refusal();
        if (refusal != null) {
            out.text(3, refusal.code());
            out.text(4, refusal.text());
        }
    }

    static ClusterMessage.Answer readAnswer(FieldReader in) {
        long id = -1;
        String json = "";
        String code = null;
        String text = "";
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> id = in.count("id");
                case 2 -> json = in.text();
                case 3 -> code = in.text();
                case 4 -> text = in.text();
                default -> skip();
            }
        }
        return new ClusterMessage.Answer(
                needed(in, "id", id), json, code == null ? null : new ClusterMessage.Forwarded.Refusal(code, text));
    }

    static void write(FieldWriter out, ClusterMessage.LoginFailures failures) {
        out.text(1, failures.user());
        out.text(2, failures.address());
        out.number(3, failures.count());
    }

    static ClusterMessage.LoginFailures readLoginFailures(FieldReader in) {
        String user = "";
        String address = "";
        long count = -1;
        while (in.next()) {
            switch (in.tag()) {
                case 1 -> user = in.text();
                case 2 -> address = in.text();
                case 3 -> count = in.count("count");
                default -> skip();
            }
        }
        return new ClusterMessage.LoginFailures(user, address, needed(in, "count", count));
    }

    private static long onlyNumber(FieldReader in, String field) {
        long value = -1;
        while (in.next()) {
            if (in.tag() == 1) {
                value = in.count(field);
            }
        }
        return needed(in, field, value);
    }

    private static long needed(FieldReader in, String field, long value) {
        if (value < 0) {
            throw in.malformed(field, "absent");
        }
        return value;
    }

    /** An unknown field of a later build. */
    private static void skip() {}
}
