package io.cairn.server.cluster.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the messages of the group: format (1 byte), kind (1 byte), then fields of tag, length and value. Unknown
 * fields and kinds are from a later build: the field is skipped, the message counted and dropped.
 */
public final class ClusterCodec {

    /** The limit of one message in bytes; a longer one becomes {@link ClusterMessage.Fragment}s. */
    public static final int MAX_BYTES = 24 * 1024;

    /** The limit of a fragmented message in bytes: more than one publication can have. */
    public static final int MAX_WHOLE_BYTES = 32 * 1024 * 1024;

    static final int FORMAT = 1;

    private static final int PIECE_OVERHEAD = 32;

    private record Kind<M extends ClusterMessage>(
            int code, Class<M> type, BiConsumer<FieldWriter, M> write, Function<FieldReader, M> read) {

        byte[] encode(ClusterMessage message) {
            FieldWriter out = start(code, 256);
            write.accept(out, type.cast(message));
            return out.toBytes();
        }

        ClusterMessage decode(byte[] bytes) {
            return read.apply(new FieldReader(type.getSimpleName(), bytes, 2, bytes.length));
        }
    }

    static final int DELTA = 3;
    static final int SNAPSHOT = 4;
    static final int ORPHANS = 16;

    /** A code is never given to another kind. */
    private static final List<Kind<?>> KINDS = List.of(
            new Kind<>(1, ClusterMessage.Hello.class, MessageFields::write, MessageFields::readHello),
            new Kind<>(2, ClusterMessage.StreamPosition.class, MessageFields::write, MessageFields::readStreamPosition),
            new Kind<>(DELTA, ClusterMessage.Delta.class, MessageFields::write, MessageFields::readDelta),
            new Kind<>(SNAPSHOT, ClusterMessage.Snapshot.class, MessageFields::write, MessageFields::readSnapshot),
            new Kind<>(5, ClusterMessage.Heartbeat.class, MessageFields::write, MessageFields::readHeartbeat),
            new Kind<>(
                    6, ClusterMessage.SnapshotRequest.class, MessageFields::write, MessageFields::readSnapshotRequest),
            new Kind<>(7, ClusterMessage.RevisionNotice.class, MessageFields::write, MessageFields::readRevisionNotice),
            new Kind<>(
                    8, ClusterMessage.RevisionApplied.class, MessageFields::write, MessageFields::readRevisionApplied),
            new Kind<>(9, ClusterMessage.Forward.class, MessageFields::write, MessageFields::readForward),
            new Kind<>(10, ClusterMessage.Forwarded.class, MessageFields::write, MessageFields::readForwarded),
            new Kind<>(11, ClusterMessage.Beats.class, MessageFields::write, MessageFields::readBeats),
            new Kind<>(12, ClusterMessage.UnknownBeats.class, MessageFields::write, MessageFields::readUnknownBeats),
            new Kind<>(13, ClusterMessage.Question.class, MessageFields::write, MessageFields::readQuestion),
            new Kind<>(14, ClusterMessage.Answer.class, MessageFields::write, MessageFields::readAnswer),
            new Kind<>(15, ClusterMessage.LoginFailures.class, MessageFields::write, MessageFields::readLoginFailures),
            new Kind<>(ORPHANS, ClusterMessage.Orphans.class, MessageFields::write, MessageFields::readOrphans),
            new Kind<>(17, ClusterMessage.Leaving.class, (out, leaving) -> {}, MessageFields::readLeaving),
            new Kind<>(18, ClusterMessage.Fragment.class, MessageFields::write, MessageFields::readFragment),
            new Kind<>(
                    19,
                    ClusterMessage.DepartedPosition.class,
                    MessageFields::write,
                    MessageFields::readDepartedPosition));

    private static final Map<Class<?>, Kind<?>> BY_TYPE = new HashMap<>();
    private static final Map<Integer, Kind<?>> BY_CODE = new HashMap<>();

    static {
        for (Kind<?> kind : KINDS) {
            BY_TYPE.put(kind.type(), kind);
            BY_CODE.put(kind.code(), kind);
        }
    }

    private final LongAdder unknown = new LongAdder();

    static FieldWriter start(int kind, int expected) {
        FieldWriter out = new FieldWriter(expected);
        out.raw(FORMAT);
        out.raw(kind);
        return out;
    }

    public byte[] encode(ClusterMessage message) {
        Kind<?> kind = BY_TYPE.get(message.getClass());
        if (kind == null) {
            throw new IllegalArgumentException(message.getClass() + " has no code");
        }
        return kind.encode(message);
    }

    /** The messages for an encoded one, in order: itself, or its fragments. */
    public List<byte[]> pieces(byte[] encoded) {
        if (encoded.length <= MAX_BYTES) {
            return List.of(encoded);
        }
        if (encoded.length > MAX_WHOLE_BYTES) {
            throw new IllegalArgumentException(
                    "A message of " + encoded.length + " bytes (expected: at most " + MAX_WHOLE_BYTES + ")");
        }
        int size = MAX_BYTES - PIECE_OVERHEAD;
        List<byte[]> pieces = new ArrayList<>(encoded.length / size + 1);
        for (int from = 0; from < encoded.length; from += size) {
            int to = Math.min(encoded.length, from + size);
            pieces.add(encode(new ClusterMessage.Fragment(
                    pieces.size(), to == encoded.length, Arrays.copyOfRange(encoded, from, to))));
        }
        return pieces;
    }

    /**
     * Null for an unknown kind.
     *
     * @throws MalformedMessageException with the field
     */
    public @Nullable ClusterMessage decode(byte[] encoded) {
        if (encoded.length < 2 || encoded.length > MAX_WHOLE_BYTES) {
            throw new MalformedMessageException(
                    "message", encoded.length + " bytes (expected: 2-" + MAX_WHOLE_BYTES + ")");
        }
        if (encoded[0] != FORMAT) {
            throw new MalformedMessageException("format", (encoded[0] & 0xFF) + " (expected: " + FORMAT + ")");
        }
        Kind<?> kind = BY_CODE.get(encoded[1] & 0xFF);
        if (kind == null) {
            unknown.increment();
            return null;
        }
        return kind.decode(encoded);
    }

    public long unknownMessages() {
        return unknown.sum();
    }
}
