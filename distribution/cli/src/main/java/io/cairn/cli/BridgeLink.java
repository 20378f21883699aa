package io.cairn.cli;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.function.Consumer;

/** What connects a bridge with a server all the time, beside single requests. Thread-safe; blocks. */
interface BridgeLink extends AutoCloseable {

    /** Whether it can register copies, which then end with it. */
    boolean registers();

    /** Replaces the copies of a service. */
    void mirror(ServiceKey key, List<Instance> instances);

    boolean isMirrored(ServiceKey key);

    /** @param changed hears of a change, now and then of one that is none, and never of one while the server was away */
    void watch(ServiceKey key, Consumer<ServiceKey> changed);

    /** Increases each time that the server is back; it may have restarted in between. */
    long reconnections();

    /** Whether the server is away; it may be starting. */
    boolean hasLostConnection();

    @Override
    void close();
}
