package io.cairn.server.storage;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.ChildServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** A server that is killed under load and started again, several times. */
final class CrashRounds {

    private CrashRounds() {}

    /**
     * Writes with one client at a time.
     *
     * @param <C> the client
     */
    interface Writer<C extends AutoCloseable> {

        C connect(ChildServer server);

        /** Returns when the server no longer answers. */
        void writeUntilItFails(C client, Runnable acknowledged);
    }

    /** Checks the data of a server that was started after a crash. */
    @FunctionalInterface
    interface Check {

        void verify(ChildServer server, String when) throws Exception;
    }

    /** @param acknowledgements the number of acknowledgements before the kill, for each round */
    static <C extends AutoCloseable> void run(
            Path home, int rounds, List<? extends Writer<C>> writers, IntSupplier acknowledgements, Check check)
            throws Exception {
        ChildServer server = ChildServer.start(home);
        try {
            for (int round = 1; round <= rounds; round++) {
                killUnderLoad(server, writers, acknowledgements.getAsInt());
                server = ChildServer.start(home);
                check.verify(server, "after crash " + round);
            }
        } finally {
            server.close();
        }
    }

    /** Starts all writers and kills the server at the moment of that many acknowledgements. */
    private static <C extends AutoCloseable> void killUnderLoad(
            ChildServer server, List<? extends Writer<C>> writers, int acknowledged) throws Exception {
        AtomicInteger left = new AtomicInteger(acknowledged);
        ExecutorService threads = Executors.newFixedThreadPool(writers.size());
        List<C> clients = new ArrayList<>();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Writer<C> writer : writers) {
                C client = writer.connect(server);
                clients.add(client);
                running.add(threads.submit(() -> writer.writeUntilItFails(client, () -> {
                    if (left.decrementAndGet() == 0) {
                        server.kill();
                    }
                })));
            }
            for (Future<?> writer : running) {
                writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(left.get()).as("missing acknowledgements").isNotPositive();
        } finally {
            threads.shutdownNow();
            for (C client : clients) {
                client.close();
            }
        }
    }
}
