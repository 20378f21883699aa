package io.cairn.server.rpc;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.cairn.server.connection.ClientIdentity;

/** Shares equal identities, because few of them describe thousands of clients. Bounded; an evicted one is only stored twice. */
final class Interned {

    private final LoadingCache<ClientIdentity, ClientIdentity> identities =
            Caffeine.newBuilder().maximumSize(10_000).executor(Runnable::run).build(identity -> identity);

    ClientIdentity intern(ClientIdentity identity) {
        return identities.get(identity);
    }
}
