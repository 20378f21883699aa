package io.cairn.server.cluster.wire;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message from one node of the group to another. The sender is known from the transport. */
public sealed interface ClusterMessage {

    /** The oldest and the newest protocol that this build speaks. */
    int OLDEST_PROTOCOL = 1;

    int NEWEST_PROTOCOL = 1;

    /**
     * Opens a stream of the sender's changes. The first message to each member of a new view, repeated with each heartbeat until its
     * {@link StreamPosition} has come.
     *
     * @param grpcPort port for gRPC clients
     * @param groupPort port for the nodes of the group
     * @param oldestProtocol oldest number that the sender speaks; the highest common one is used
     * @param stream number of the stream; those of a node only rise
     * @param sequence number of the sender's last change
     * @param settingsDigest digest of the settings that must agree on all nodes
     * @param keysFingerprint fingerprint of the keys that sign tokens
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
     * The answer to {@link Hello}: from where the stream goes on.
     *
     * @param incarnation that of the stream's owner
     * @param sequence of the last change that the copy has; {@link #NONE} where there is no copy, or an incomplete one
     */
    record StreamPosition(long stream, long incarnation, long sequence) implements ClusterMessage {

        public static final long NONE = -1;
    }

    /** All that has changed in the sequence numbers (from, to], each entry in its latest state, in the order of their sequence. */
    record Delta(long stream, long incarnation, long from, long to, List<RegistryEntry> entries)
            implements ClusterMessage {

        public Delta {
            entries = List.copyOf(entries);
        }
    }

    /**
     * A part of all that the sender owns, in the order of the sequence numbers. Part 0 begins a snapshot, whatever came before.
     *
     * @param at in the last part: the sequence number at which the snapshot is complete; 0 in the others
     * @param endsSince the snapshot names every publication that has ended or moved after this sequence number
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
     * @param stream number of the stream to the receiver
     * @param sequence number of the sender's last change
     * @param count how many publications and checks the sender owns at that number
     * @param digest their digest
     * @param clock the sender's time on the clock of the group
     * @param revision the last revision of the change log that the sender shows
     * @param load permille of one processor that the sender has used in the last second
     * @param time the sender's time on the clock of its machine, in epoch milliseconds; 0 from a release that does not send it
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
            long time)
            implements ClusterMessage {

        /** Without the time of the machine. */
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
            this(stream, sequence, count, digest, state, clock, revision, connections, load, 0);
        }
    }

    /** The copy of the receiver's stream has a gap or another digest; a snapshot is needed. */
    record SnapshotRequest(long stream) implements ClusterMessage {}

    /** Changes up to this revision of the change log are committed. */
    record RevisionNotice(long revision) implements ClusterMessage {}

    /** The sender shows all changes up to this revision. */
    record RevisionApplied(long revision) implements ClusterMessage {}

    /** Requests of HTTP clients that the receiver owns. It handles them in their order, whether it owns the clients by its own view or not. */
    record Forward(long id, List<Write> writes) implements ClusterMessage {

        public Forward {
            writes = List.copyOf(writes);
        }

        /** The kind of a request. */
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
         * @param publishedAt of a registration that another node has published, as {@link
         *     io.cairn.server.naming.OwnPublication#publishedAt}; 0 for one of a client
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
         * @param isKnown false for a heartbeat of an instance that is not known and was not registered
         * @param beatIntervalMillis the interval of heartbeats that the instance asks for; 0 for the usual one
         * @param refusal null when the request was done
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
         * @param code the name of a {@link io.cairn.server.naming.NamingException.Fault} or of an {@link
         *     io.cairn.api.error.ErrorCode}; one that the receiver does not know counts as a defect of the sender
         */
        public record Refusal(String code, String text) {}
    }

    /** An instance of a service, by its key. */
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
     * @param refusal why there is no answer, with the name of an {@link io.cairn.api.error.ErrorCode}; null when there is one
     */
    record Answer(long id, String json, Forwarded.@Nullable Refusal refusal) implements ClusterMessage {

        public Answer(long id, String json) {
            this(id, json, null);
        }
    }

    /**
     * Wrong passwords of a user from an address, counted by the sender since its last message.
     *
     * @param count 0 when a right password has ended the count
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
     * A part of the copy of a departed node, for a node that has joined the sender's part of the group, or that has less of it. Part 0
     * begins the copy anew.
     *
     * @param age time in milliseconds since the recovery window of the copy began, negative when it begins later; {@link #NOT_STARTED}
     *     while that is open
     */
    record Orphans(NodeId owner, long age, int part, boolean last, List<RegistryEntry> entries)
            implements ClusterMessage {

        public static final long NOT_STARTED = -1;

        public Orphans {
            entries = List.copyOf(entries);
        }
    }

    /**
     * How much the sender has of a node that has departed. A node that has more sends the rest as {@link Orphans}.
     *
     * @param sequence of the last change that the sender's copy has; {@link StreamPosition#NONE} for an incomplete copy
     */
    record DepartedPosition(NodeId owner, long sequence) implements ClusterMessage {}

    /** The sender begins to drain. */
    record Leaving() implements ClusterMessage {}

    /**
     * A piece of a message that is longer than {@link ClusterCodec#MAX_BYTES}. Pieces of one message follow each other; other
     * messages may come between them.
     *
     * @param index 0 begins a message, whatever came before
     */
    record Fragment(int index, boolean last, byte[] bytes) implements ClusterMessage {}
}
