package io.cairn.benchmark.bare;

import io.cairn.benchmark.wire.Transport;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * grpc-netty and Netty's HTTP codec with nothing behind them but a map of ready answers: what the transport alone costs.
 * It understands what this module's load generator sends and checks next to nothing. Listens on loopback.
 */
public final class BareServer implements AutoCloseable {
    private static final int GRPC_OFFSET = 1000;
    private static final int ATTEMPTS = 50;

    private final Transport transport;
    private final BareGrpc grpc;
    private final BareNaming naming;
    private final Server grpcServer;
    private final Channel httpChannel;

    private BareServer(Transport transport, BareGrpc grpc, BareNaming naming, Server grpcServer, Channel httpChannel) {
        this.transport = transport;
        this.grpc = grpc;
        this.naming = naming;
        this.grpcServer = grpcServer;
        this.httpChannel = httpChannel;
    }

    /** @param httpPort 0 for a free one whose gRPC port, 1000 above, is free too */
    public static BareServer start(int httpPort, int threads) throws IOException {
        return start(httpPort, threads, naming -> new BareMesh(naming).service());
    }

    /** @param mesh serves ADS from the services that are registered */
    static BareServer start(int httpPort, int threads, Function<BareNaming, ServerServiceDefinition> mesh)
            throws IOException {
        var transport = new Transport("bare", threads);
        IOException taken = new IOException("port " + httpPort + " or " + (httpPort + GRPC_OFFSET) + " is taken");
        for (int attempt = 0; attempt < (httpPort == 0 ? ATTEMPTS : 1); attempt++) {
            var store = new BareStore();
            var naming = new BareNaming();
            ChannelFuture http = new ServerBootstrap()
                    .group(transport.loops())
                    .channel(transport.serverChannel())
                    .option(ChannelOption.SO_BACKLOG, 4096)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new BareHttp(store, naming))
                    .bind(InetAddress.getLoopbackAddress(), httpPort)
                    .awaitUninterruptibly();
            if (!http.isSuccess()) {
                continue;
            }
            int port = ((InetSocketAddress) http.channel().localAddress()).getPort();
            if (port + GRPC_OFFSET <= 65_535) {
                var grpc = new BareGrpc(store, naming, mesh.apply(naming));
                try {
                    return new BareServer(transport, grpc, naming, startGrpc(transport, grpc, port), http.channel());
                } catch (IOException e) {
                    taken.addSuppressed(e);
                }
            }
            http.channel().close().awaitUninterruptibly();
        }
        transport.close();
        throw taken;
    }

    private static Server startGrpc(Transport transport, BareGrpc grpc, int httpPort) throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), httpPort + GRPC_OFFSET))
                .bossEventLoopGroup(transport.loops())
                .workerEventLoopGroup(transport.loops())
                .channelType(transport.serverChannel())
                .withOption(ChannelOption.SO_BACKLOG, 4096)
                .addTransportFilter(grpc.new Lines())
                .directExecutor();
        grpc.services().forEach(builder::addService);
        return builder.build().start();
    }

    public int httpPort() {
        return ((InetSocketAddress) httpChannel.localAddress()).getPort();
    }

    /** How many messages came on the streams after their setup: acknowledgements of pushes. */
    public long acknowledged() {
        return grpc.acknowledged();
    }

    /** Whether it keeps notifications to itself, as a broken server would. */
    public void mute(boolean quiet) {
        grpc.mute(quiet);
    }

    /** Has it keep changes of endpoints to itself from now on. */
    public void muteMesh() {
        naming.mute();
    }

    @Override
    public void close() {
        httpChannel.close().awaitUninterruptibly();
        grpcServer.shutdownNow();
        try {
            boolean ended = grpcServer.awaitTermination(5, TimeUnit.SECONDS);
            if (!ended) {
                throw new IllegalStateException("the gRPC server does not end within 5 s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            transport.close();
        }
    }
}
