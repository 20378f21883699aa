package io.cairn.server.rpc;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.cairn.server.connection.ClientIdentity;

/**
 * Keeps one object for all equal identities: thousands of clients of one host and version are described by a few. Bounded;
 * what falls out is only stored twice. Thread-safe.
 */
final class Interned {

    private final LoadingCache<ClientIdentity, ClientIdentity> identities =
            Caffeine.newBuilder().maximumSize(10_000).executor(Runnable::run).build(identity -> identity);

    ClientIdentity intern(ClientIdentity identity) {
        return identities.get(identity);
    }
}
