package io.cairn.server.naming.health;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The probes for every type of check. */
final class HealthProbes implements Probe, AutoCloseable {

    private static final int LOOKUP_MILLIS = 2_000;
    private static final int CLOSE_MILLIS = 1_000;
    private static final int LOOKUP_THREADS = 2;

    private final ClientSockets sockets;
    private final ThreadPoolExecutor lookups;
    private final HostLookup hosts;
    private final TcpProbe tcp;
    private final HttpProbe http;
    private final GrpcProbe grpc;
    private final MysqlProbe mysql;

    HealthProbes(EventLoopGroup loops, ChannelFactory<? extends Channel> channels) {
        sockets = new ClientSockets(loops, channels);
        lookups = new ThreadPoolExecutor(
                LOOKUP_THREADS,
                LOOKUP_THREADS,
                10,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(HealthChecks.MAX_UNDER_WAY),
                new DefaultThreadFactory("cairn-health-lookup", true));
        lookups.allowCoreThreadTimeOut(true);
        hosts = new HostLookup(lookups);
        tcp = new TcpProbe(sockets);
        http = new HttpProbe(sockets);
        grpc = new GrpcProbe(sockets);
        mysql = new MysqlProbe(sockets);
    }

    @Override
    public CompletableFuture<ProbeResult> check(String host, int port, HealthCheck check) {
        if (port < 1 || port > 65535) {
            return CompletableFuture.completedFuture(ProbeResult.down("port " + port + " (expected: 1-65535)"));
        }
        if (check instanceof HealthCheck.Mysql database) {
            return mysql.check(host, port, database);
        }
        CompletableFuture<InetAddress> address;
        try {
            address = hosts.find(host);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(ProbeResult.unknown("too many lookups of hosts wait"));
        }
        if (!address.isDone()) {
            limit(address);
        }
        return address.thenCompose(found -> check(new Target(host, found, port), check))
                .exceptionally(HealthProbes::notAsked);
    }

    /** A hanging resolver is no fault of the target. */
    private void limit(CompletableFuture<InetAddress> address) {
        var limit = sockets.loops()
                .schedule(
                        () -> address.completeExceptionally(
                                new RejectedExecutionException("no address within " + LOOKUP_MILLIS + " ms")),
                        LOOKUP_MILLIS,
                        TimeUnit.MILLISECONDS);
        address.whenComplete((found, failure) -> limit.cancel(false));
    }

    private CompletableFuture<ProbeResult> check(Target target, HealthCheck check) {
        if (check instanceof HealthCheck.Http get) {
            return http.check(target, get);
        }
        if (check instanceof HealthCheck.Grpc call) {
            return grpc.check(target, call);
        }
        return tcp.check(target);
    }

    private static ProbeResult notAsked(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof UnknownHostException) {
            return ProbeResult.failed("a host without address");
        }
        if (cause instanceof IllegalArgumentException) {
            return ProbeResult.failed("a host that cannot be asked: " + cause.getMessage());
        }
        return ClientSockets.notConnected(cause);
    }

    /** Running probes fail, or never have a result. */
    @Override
    public void close() {
        grpc.close();
        sockets.close();
        lookups.shutdownNow();
        mysql.close();
        try {
            lookups.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
