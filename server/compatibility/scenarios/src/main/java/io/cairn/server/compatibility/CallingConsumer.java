package io.cairn.server.compatibility;

import java.util.Set;

/** A consumer that finds the providers of one service in the registry and calls them. */
interface CallingConsumer {
    /** Calls a provider, without a second try; throws when the call fails. */
    void call() throws Exception;

    /** The ports of the providers that the consumer chooses from at this moment. */
    Set<Integer> listed();
}
