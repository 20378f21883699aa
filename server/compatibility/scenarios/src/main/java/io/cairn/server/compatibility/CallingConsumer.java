package io.cairn.server.compatibility;

import java.util.Set;

/** A consumer that calls the providers of one service by the registry. */
interface CallingConsumer {
    /** Calls a provider without a retry. */
    void call() throws Exception;

    Set<Integer> listed();
}
