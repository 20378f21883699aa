package io.cairn.server.rpc.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.DrainAnswer;
import io.cairn.api.wire.naming.InstanceDrainRequest;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Answers a drain after its wait. */
public final class InstanceDrainHandler implements MessageHandler<InstanceDrainRequest> {

    private static final MessageRight<InstanceDrainRequest> RIGHT =
            MessageRight.service(Action.DRAIN, request -> NamingRequests.service(request.service()));
    /** As over HTTP. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private static final Duration MIN_FOR = Duration.ofSeconds(1);
    private static final Duration MAX_FOR = Duration.ofHours(24);

    private final Drainer drainer;

    /** Never blocks. */
    public interface Drainer {

        CompletionStage<DrainAnswer> drain(
                ServiceKey service, InstanceKey instance, Duration lasting, Duration wait, boolean force, Caller by);
    }

    public InstanceDrainHandler(Drainer drainer) {
        this.drainer = drainer;
    }

    @Override
    public String requestType() {
        return MessageCatalog.INSTANCE_DRAIN_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.INSTANCE_DRAIN_RESPONSE;
    }

    @Override
    public InstanceDrainRequest read(Payload message) {
        return JsonInput.read(message, InstanceDrainRequest::read);
    }

    @Override
    public MessageRight<InstanceDrainRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(
            InstanceDrainRequest request, ClientConnection connection, Principal caller) {
        ServiceKey service = NamingRequests.service(request.service());
        InstanceFields fields = request.instance();
        InstanceKey instance = fields == null ? null : NamingRequests.key(fields);
        if (instance == null) {
            throw InstanceHandler.missing();
        }
        return drainer.drain(
                        service,
                        instance,
                        within("forMillis", request.forMillis(), MIN_FOR, MAX_FOR),
                        within("waitMillis", request.waitMillis(), Duration.ZERO, MAX_WAIT),
                        request.force(),
                        new Caller(caller, connection.remoteIp()))
                .thenApply(answer -> Payload.of(
                        responseType(),
                        answer.writeTo(WireResponse.start(512))
                                .flag("success", true)
                                .toBytes()));
    }

    private static Duration within(String name, long millis, Duration least, Duration most) {
        if (millis < least.toMillis() || millis > most.toMillis()) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    name + ": " + millis + " (expected: " + least.toMillis() + '-' + most.toMillis() + ')');
        }
        return Duration.ofMillis(millis);
    }

    @Override
    public Payload refused(CairnException failure) {
        return NamingRequests.refused(responseType(), failure, null);
    }
}
