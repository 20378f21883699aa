package io.cairn.server.naming.health;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** Resolves hosts off the event loops, by the system's rules. */
final class HostLookup {

    private final Executor blocking;

    HostLookup(Executor blocking) {
        this.blocking = blocking;
    }

    /**
     * Completes with an {@link UnknownHostException} for an unknown name.
     *
     * @throws java.util.concurrent.RejectedExecutionException for too many waiting lookups
     */
    CompletableFuture<InetAddress> find(String host) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            try {
                return CompletableFuture.completedFuture(InetAddress.getByName(host));
            } catch (UnknownHostException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return InetAddress.getByName(host);
                    } catch (UnknownHostException e) {
                        throw new CompletionException(e);
                    }
                },
                blocking);
    }
}
