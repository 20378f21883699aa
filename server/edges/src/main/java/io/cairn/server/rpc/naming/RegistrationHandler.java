package io.cairn.server.rpc.naming;

import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.server.rpc.MessageHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message that registers ephemeral instances, and is their first heartbeat. */
interface RegistrationHandler<T> extends MessageHandler<T> {

    /** Unchecked instances of a request. */
    record Registration(ServiceName service, List<InstanceFields> instances) {}

    /** Null for a request that registers no instance. */
    @Nullable
    Registration registration(T request);
}
