package io.cairn.server.cluster.wire;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.naming.LossCause;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message between nodes of the group. The transport knows the sender. */
public sealed interface ClusterMessage {

    int OLDEST_PROTOCOL = 1;

    int NEWEST_PROTOCOL = 1;

    /**
     * Opens a stream of the sender's changes. The first message to each member of a new view, repeated with each heartbeat until
     * the {@link StreamPosition} arrives.
     *
     * @param oldestProtocol oldest number of the sender; both use the highest common one
     * @param stream rising number of the stream
     * @param sequence number of the sender's last change
     * @param settingsDigest of the settings that must agree on all nodes
     * @param keysFingerprint of the keys that sign tokens
     */
    record Hello(
            NodeId node,
            int grpcPort,
            int groupPort,
            String version,
            int oldestProtocol,
            int newestProtocol,
            NodeState state,
            long stream,
            long sequence,
            long settingsDigest,
            String keysFingerprint)
            implements ClusterMessage {}

    /**
     * The answer to {@link Hello}: the position from which the stream continues.
     *
     * @param incarnation of the stream's owner
     * @param sequence of the copy's last change; {@link #NONE} without a complete copy
     */
    record StreamPosition(long stream, long incarnation, long sequence) implements ClusterMessage {

        public static final long NONE = -1;
    }

    /** The changes with sequence numbers in (from, to], each entry in its latest state, in the order of their numbers. */
    record Delta(long stream, long incarnation, long from, long to, List<RegistryEntry> entries)
            implements ClusterMessage {

        public Delta {
            entries = List.copyOf(entries);
        }
    }

    /**
     * A part of all entries of the sender, in the order of their numbers. Part 0 begins a new snapshot.
     *
     * @param at in the last part: the number at which the snapshot is complete; else 0
     * @param endsSince the snapshot names every publication that ended or moved after this number
     */
    record Snapshot(
            long stream, long incarnation, int part, boolean last, long at, long endsSince, List<RegistryEntry> entries)
            implements ClusterMessage {

        public Snapshot {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Sent every second.
     *
     * @param stream to the receiver
     * @param sequence number of the sender's last change
     * @param count publications and checks of the sender at that number
     * @param digest of these
     * @param clock time on the clock of the group
     * @param revision the last that the sender shows
     * @param load permille of one processor in the last second
     * @param time of the sender's machine in epoch milliseconds; 0 from a release without it
     */
    record Heartbeat(
            long stream,
            long sequence,
            long count,
            long digest,
            NodeState state,
            long clock,
            long revision,
            long connections,
            long load,
            long time,
            Followed followed)
            implements ClusterMessage {

        public Heartbeat(
                long stream,
                long sequence,
                long count,
                long digest,
                NodeState state,
                long clock,
                long revision,
                long connections,
                long load,
                long time) {
            this(stream, sequence, count, digest, state, clock, revision, connections, load, time, Followed.UNKNOWN);
        }

        /** Without the time of the machine, and without how the changes are followed. */
        public Heartbeat(
                long stream,
                long sequence,
                long count,
                long digest,
                NodeState state,
                long clock,
                long revision,
                long connections,
                long load) {
            this(stream, sequence, count, digest, state, clock, revision, connections, load, 0, Followed.UNKNOWN);
        }

        /**
         * How a node follows the changes in the database, in milliseconds.
         *
         * @param failing duration of the failure, or 0
         * @param following duration without a failure, or 0
         * @param sinceCompared since its last full comparison; {@link #NEVER} without one, and from a release without it
         * @param lastCommit as {@link io.cairn.server.change.RevisionFollower#lastCommit()}
         */
        public record Followed(long failing, long following, long sinceCompared, long lastCommit) {

            public static final long NEVER = -1;

            public static final Followed UNKNOWN = new Followed(0, 0, NEVER, RevisionFollower.NO_COMMIT);

            public static Followed of(Following.State state, long lastCommit) {
                Duration compared = state.sinceCompared();
                return new Followed(
                        state.failing().isZero()
                                ? 0
                                : Math.max(1, state.failing().toMillis()),
                        state.following().toMillis(),
                        compared == null ? NEVER : compared.toMillis(),
                        lastCommit);
            }
        }
    }

    /** The copy of the receiver's stream has a gap or another digest, and needs a snapshot. */
    record SnapshotRequest(long stream) implements ClusterMessage {}

    /** Changes up to this revision of the change log are committed. */
    record RevisionNotice(long revision) implements ClusterMessage {}

    /** The sender shows all changes up to this revision. */
    record RevisionApplied(long revision) implements ClusterMessage {}

    /** Requests of HTTP clients that the receiver owns. It handles them in order, whatever its own view. */
    record Forward(long id, List<Write> writes) implements ClusterMessage {

        public Forward {
            writes = List.copyOf(writes);
        }

        public enum Kind {
            /** Only the key of the instance counts. */
            DEREGISTER,
            REGISTER,
            /** A heartbeat that describes the instance, by which an unknown one is registered. */
            BEAT,
            /** A heartbeat that names the instance; only the key counts. */
            LIGHT_BEAT,
            /** An operator has set the health; the key and the health count. */
            HEALTH
        }

        /**
         * @param cause of a deregistration
         * @param publishedAt of a registration by another node, as {@link io.cairn.server.naming.OwnPublication#publishedAt}; 0 for
         *     a client's
         */
        public record Write(Kind kind, ServiceKey service, Instance instance, LossCause cause, long publishedAt) {

            public Write(Kind kind, ServiceKey service, Instance instance) {
                this(kind, service, instance, LossCause.DEREGISTERED, 0);
            }
        }
    }

    /** The answer to {@link Forward}: a result for each write, in their order. */
    record Forwarded(long id, List<Result> results) implements ClusterMessage {

        public Forwarded {
            results = List.copyOf(results);
        }

        /**
         * @param isKnown false for a heartbeat of an unknown, unregistered instance
         * @param beatIntervalMillis the requested interval; 0 for the default
         * @param refusal null for success
         */
        public record Result(
                boolean isKnown,
                long beatIntervalMillis,
                @Nullable Refusal refusal) {

            public static final Result DONE = new Result(true, 0, null);

            public static Result refused(String code, String text) {
                return new Result(true, 0, new Refusal(code, text));
            }
        }

        /**
         * @param code the name of a {@link io.cairn.server.naming.NamingException.Fault} or an
         *     {@link io.cairn.api.error.ErrorCode}; an unknown one counts as a defect of the sender
         */
        public record Refusal(String code, String text) {}
    }

    record InstanceOfService(ServiceKey service, InstanceKey instance) {}

    /** Heartbeats of HTTP clients that the receiver owns. */
    record Beats(List<InstanceOfService> instances) implements ClusterMessage {

        public Beats {
            instances = List.copyOf(instances);
        }
    }

    /** The instances of {@link Beats} that the sender does not have. */
    record UnknownBeats(List<InstanceOfService> instances) implements ClusterMessage {

        public UnknownBeats {
            instances = List.copyOf(instances);
        }
    }

    /** Asks for something that only the receiver knows, such as its connections. */
    record Question(long id, String name, Map<String, String> parameters) implements ClusterMessage {

        public Question {
            parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        }
    }

    /**
     * The answer to {@link Question}.
     *
     * @param json empty for a refusal
     * @param refusal with the name of an {@link io.cairn.api.error.ErrorCode}; else null
     */
    record Answer(long id, String json, Forwarded.@Nullable Refusal refusal) implements ClusterMessage {

        public Answer(long id, String json) {
            this(id, json, null);
        }
    }

    /**
     * Wrong passwords of a user from an address since the sender's last message.
     *
     * @param count 0 when a right password ended the count
     */
    record LoginFailures(String user, String address, long count) implements ClusterMessage {

        /** The user has sent the right password from the address. */
        public static LoginFailures end(String user, String address) {
            return new LoginFailures(user, address, 0);
        }

        public boolean isEnd() {
            return count == 0;
        }
    }

    /**
     * A part of a departed node's copy, for a node that has joined the sender's part of the group or has less of the copy. Part 0
     * begins the copy again.
     *
     * @param age milliseconds since the begin of the copy's recovery window, negative before; {@link #NOT_STARTED} if unknown
     */
    record Orphans(NodeId owner, long age, int part, boolean last, List<RegistryEntry> entries)
            implements ClusterMessage {

        public static final long NOT_STARTED = -1;

        public Orphans {
            entries = List.copyOf(entries);
        }
    }

    /**
     * How much of a departed node the sender has. A node with more sends the rest as {@link Orphans}.
     *
     * @param sequence as in {@link StreamPosition}
     */
    record DepartedPosition(NodeId owner, long sequence) implements ClusterMessage {}

    record Leaving() implements ClusterMessage {}

    /**
     * A piece of a message longer than {@link ClusterCodec#MAX_BYTES}. Its pieces keep their order; other messages may come between
     * them.
     *
     * @param index 0 begins a message
     */
    record Fragment(int index, boolean last, byte[] bytes) implements ClusterMessage {}
}
