package io.cairn.measure;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.limit.Limit;
import io.cairn.server.rpc.GrpcServer;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.wiring.CairnApplication;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * Measures the heap of a connection and of a listen. The program starts a whole server; clients in this process connect
 * over Netty's local transport, so the number of open files is no limit. The clients are replaced by prepared bytes.
 * The heap of both ends of a local channel without a server is measured first and subtracted.
 */
public final class ConnectionMemory {

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final int WAVE = 200;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final int connections;
    private final int listens;

    ConnectionMemory(int connections, int listens) {
        this.connections = connections;
        this.listens = listens;
    }

    /** @param perChannel heap bytes of the two ends of a local channel, which no other figure includes */
    record Figures(int connections, int listens, double perChannel, double perConnection, double perListen) {

        String shown() {
            return String.format(
                    "connections %,d, listens of each %,d%nheap bytes per local channel    %,10.0f (not counted below)%n"
                            + "heap bytes per connection       %,10.0f%nheap bytes per listen           %,10.1f%n"
                            + "heap bytes per connection with its listens %,10.0f%n",
                    connections, listens, perChannel, perConnection, perListen, perConnection + listens * perListen);
        }
    }

    /** Arguments: number of connections and of listens per connection; 100,000 and 200 by default. */
    public static void main(String[] arguments) throws Exception {
        int connections = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
        int listens = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
        System.out.print(new ConnectionMemory(connections, listens).measure().shown());
        System.exit(0);
    }

    Figures measure() throws Exception {
        Path home = Files.createTempDirectory(
                "cairn-measure-" + ProcessHandle.current().pid() + '-');
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
        try {
            double perChannel = bare(clients);
            CairnApplication.Running running = CairnApplication.start(
                    Map.of(
                            "cairn.home",
                            home.toString(),
                            "cairn.data-dir",
                            home.resolve("data").toString()),
                    // The clients do not answer detection requests.
                    List.of(
                            "--server.port=0",
                            "--cairn.connections.silence=24h",
                            "--cairn.connections.max=2000000",
                            "--logging.level.io.netty.bootstrap=error"));
            try {
                return serve(running, clients, perChannel);
            } finally {
                running.context().close();
            }
        } finally {
            clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
            delete(home);
        }
    }

    private double bare(EventLoopGroup loops) throws InterruptedException {
        LocalAddress address = new LocalAddress("cairn-measure-bare-" + System.nanoTime());
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(new Discard())
                .bind(address)
                .sync()
                .channel();
        connect(loops, address, Math.min(100, connections), new byte[0]);
        long before = usedHeap();
        List<Channel> opened = connect(loops, address, connections, new byte[0]);
        double each = (double) (usedHeap() - before) / connections;
        close(opened);
        server.close().sync();
        return each;
    }

    private Figures serve(CairnApplication.Running running, EventLoopGroup clients, double perChannel)
            throws InterruptedException {
        ConnectionRegistry registry = running.context().getBean(ConnectionRegistry.class);
        LocalAddress address = new LocalAddress("cairn-measure-" + System.nanoTime());
        EventLoops loops = EventLoops.inProcess(2);
        GrpcServer server = new GrpcServer(
                new GrpcServer.Settings(
                        address,
                        new Limit("message-bytes", "a setting", 16 << 20),
                        10_000,
                        TimeUnit.DAYS.toMillis(1),
                        TimeUnit.DAYS.toMillis(1),
                        2000,
                        64 << 20,
                        new MemoryBudget(64 << 20),
                        AnswerMemory.unlimited(),
                        new Limit("head-seconds", "a setting", 15)),
                loops,
                new GrpcServer.Handlers(
                        running.context().getBean(MessageRouter.class),
                        registry,
                        client -> Map.of(),
                        () -> true,
                        "127.0.0.1",
                        Map.of()),
                Clock.systemUTC(),
                new SharedCompression(Runnable::run),
                channel -> {});
        server.start();
        try {
            var script = new ClientScript(listens);
            // Classes and caches that the first connections load belong to the server, not to a connection.
            int first = Math.min(100, connections);
            List<Channel> early = connect(clients, address, first, script.setUp());
            await(registry::size, first);
            listen(running, early, script, (long) first * listens);
            long before = usedHeap();

            List<Channel> opened = connect(clients, address, connections, script.setUp());
            await(registry::size, first + connections);
            long connected = usedHeap();
            listen(running, opened, script, (long) (first + connections) * listens);
            long listening = usedHeap();
            if (registry.size() != first + connections) {
                throw new IllegalStateException(
                        "connections: " + registry.size() + " (expected: " + (first + connections) + ")");
            }
            close(opened);
            return new Figures(
                    connections,
                    listens,
                    perChannel,
                    (double) (connected - before) / connections - perChannel,
                    (double) (listening - connected) / connections / Math.max(1, listens));
        } finally {
            server.close();
            loops.close();
        }
    }

    private static void listen(
            CairnApplication.Running running, List<Channel> channels, ClientScript script, long pairs)
            throws InterruptedException {
        for (int i = 0; i < channels.size(); i++) {
            channels.get(i).writeAndFlush(Unpooled.wrappedBuffer(script.listen()));
            if (i % WAVE == WAVE - 1) {
                channels.get(i).eventLoop().submit(() -> {}).sync();
            }
        }
        Gauges gauges = new Gauges(running.context());
        await(() -> (int) gauges.listens(), (int) pairs);
    }

    private static List<Channel> connect(EventLoopGroup loops, LocalAddress address, int count, byte[] greeting)
            throws InterruptedException {
        Bootstrap bootstrap =
                new Bootstrap().group(loops).channel(LocalChannel.class).handler(new Discard());
        var opened = new ArrayList<Channel>(count);
        for (int i = 0; i < count; i++) {
            // A unique name: the random names that Netty generates collide at such numbers.
            LocalAddress own = new LocalAddress(address.id() + '-' + NUMBERS.incrementAndGet());
            Channel channel = bootstrap.connect(address, own).sync().channel();
            if (greeting.length > 0) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(greeting));
            }
            opened.add(channel);
        }
        return opened;
    }

    private static void close(List<Channel> channels) throws InterruptedException {
        for (Channel channel : channels) {
            channel.close().sync();
        }
    }

    private static void await(IntSupplier count, int wanted) throws InterruptedException {
        long start = System.nanoTime();
        while (count.getAsInt() < wanted) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException(count.getAsInt() + " of " + wanted + " are there after 10 minutes");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** The used heap once all responses have arrived, which is when it stops shrinking. */
    private static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        int steady = 0;
        while (steady < 3) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(500);
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            steady = used < least - least / 500 ? 0 : steady + 1;
            least = Math.min(least, used);
        }
        return least;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A client that discards all input. */
    @ChannelHandler.Sharable
    private static final class Discard extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }
    }
}
