package io.cairn.server.rpc.naming;

import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.server.rpc.MessageHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message that registers ephemeral instances, for which it is the first heartbeat. */
interface RegistrationHandler<T> extends MessageHandler<T> {

    /** Instances of a service, as the request spells them; not checked. */
    record Registration(ServiceName service, List<InstanceFields> instances) {}

    /** The instances that the request would register; null for a request that registers none. */
    @Nullable
    Registration registration(T request);
}
