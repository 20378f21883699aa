package io.cairn.server.rpc;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.sdk.Sdk;
import org.jspecify.annotations.Nullable;

/** The method {@code /Request/request}: one message in, one out. */
final class UnaryCalls implements Call.Handler {

    /** Smaller answers do not count as unread. */
    private static final int LARGE_ANSWER_BYTES = 64 * 1024;

    private static final Payload UNREAD = WireResponse.error(
            WireError.OVER_THRESHOLD, "This connection leaves its answers unread; read them before asking for more");

    private final MessageRouter router;
    private final long maxUnreadBytes;
    private final UnreadAnswers unread;

    /**
     * @param maxUnreadBytes of one connection's large answers
     * @param unread of all connections
     */
    UnaryCalls(MessageRouter router, long maxUnreadBytes, UnreadAnswers unread) {
        this.router = router;
        this.maxUnreadBytes = maxUnreadBytes;
        this.unread = unread;
    }

    @Override
    public Call.Listener start(Call call) {
        return new UnaryCall(call);
    }

    private final class UnaryCall implements Call.Listener, MessageRouter.AnswerSink {

        private final Call call;
        private @Nullable Payload request;
        private boolean refused;
        private boolean over;
        private @Nullable Payload largeAnswer;

        UnaryCall(Call call) {
            this.call = call;
        }

        @Override
        public void onMessage(byte[] message) {
            onRequest(Payload.read(message));
        }

        @Override
        public void onUnreadable(String why) {
            onRequest(Payload.unreadable(why));
        }

        private void onRequest(Payload message) {
            if (request != null) {
                refuse("more than one message for a unary call");
            } else {
                request = message;
            }
        }

        @Override
        public boolean awaitsHalfClose() {
            return true;
        }

        @Override
        public void onHalfClose() {
            Payload message = request;
            // The call lasts until its answer is read, and must not keep the request.
            request = null;
            if (refused) {
                return;
            }
            if (message == null) {
                refuse("no message for a unary call");
                return;
            }
            Transport transport = GrpcServer.transport(call);
            if (wouldBeTakenForHealthy(message, transport)) {
                call.finish(GrpcStatus.UNAVAILABLE, "Connection is unregistered.");
            } else {
                router.route(message, transport.connection(), transport.connectionId(), this);
            }
        }

        /** Such a client would stay unregistered after a short restart, because its gRPC library reconnects by itself. */
        private boolean wouldBeTakenForHealthy(Payload message, Transport transport) {
            ClientConnection connection = transport.connection();
            return (connection == null || connection.isClosed())
                    && message.type().equals(MessageCatalog.HEALTH_CHECK_REQUEST)
                    && Sdk.takesUnregisteredForHealthy(call.userAgent());
        }

        private void refuse(String why) {
            if (!refused) {
                refused = true;
                call.finish(GrpcStatus.INVALID_ARGUMENT, why);
            }
        }

        @Override
        public void answer(Payload answer) {
            call.answer(answer.encodedLength() < LARGE_ANSWER_BYTES ? answer : counted(answer));
        }

        /** The answer, or a refusal beyond the limit of unread bytes of this client or of all. */
        private synchronized Payload counted(Payload answer) {
            if (over) {
                // Cancelled meanwhile: no send would release the bytes.
                return answer;
            }
            Transport transport = GrpcServer.transport(call);
            int bytes = answer.encodedLength();
            if (transport.addUnread(bytes) > maxUnreadBytes + bytes) {
                transport.addUnread(-bytes);
                return UNREAD;
            }
            if (!unread.hold(answer)) {
                transport.addUnread(-bytes);
                return unread.refusal(answer);
            }
            largeAnswer = answer;
            return answer;
        }

        @Override
        public void onCancel() {
            end();
        }

        @Override
        public void onComplete() {
            end();
        }

        private synchronized void end() {
            over = true;
            Payload answer = largeAnswer;
            if (answer != null) {
                GrpcServer.transport(call).addUnread(-answer.encodedLength());
                unread.release(answer);
                largeAnswer = null;
            }
        }
    }
}
