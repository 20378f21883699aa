package io.cairn.benchmark;

import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.StreamListener;
import org.jspecify.annotations.Nullable;

/** A slot whose operation is one unary call. */
abstract class GrpcSlot extends Load.Slot implements StreamListener {
    private static final String NO_ANSWER = "no answer";

    private final GrpcConnection connection;
    private @Nullable String refusal = NO_ANSWER;

    GrpcSlot(Load load, Load.Lane lane, GrpcConnection connection) {
        super(load, lane);
        this.connection = connection;
    }

    /** The next request, written by {@link Envelope}. */
    abstract byte[] request();

    /** Null when the answer is as it should be, else one line. */
    @Nullable
    String judge(Envelope answer) {
        return answer.refusal();
    }

    @Override
    final boolean canIssue() {
        return connection.isOpen();
    }

    @Override
    final void issue() {
        refusal = NO_ANSWER;
        connection.call(request(), this);
    }

    @Override
    public final void message(Envelope message) {
        refusal = judge(message);
    }

    @Override
    public final void end(@Nullable String failure) {
        String cause = failure == null ? refusal : failure;
        if (cause == null) {
            succeeded();
        } else {
            lost(cause);
        }
    }
}
