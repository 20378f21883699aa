package io.cairn.cli;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.function.Consumer;

/** The lasting connection of a bridge with a server, beside single requests. Thread-safe; blocks. */
interface BridgeLink extends AutoCloseable {

    /** Whether it can register copies, which then end with it. */
    boolean registers();

    void mirror(ServiceKey key, List<Instance> instances);

    boolean isMirrored(ServiceKey key);

    void watch(ServiceKey key, Consumer<ServiceKey> changed);

    /** Increases with each return of the server, which may have restarted. */
    long reconnections();

    /** Whether the server is away; it may be starting. */
    boolean hasLostConnection();

    @Override
    void close();
}
