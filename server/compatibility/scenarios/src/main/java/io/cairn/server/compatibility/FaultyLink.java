package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection through a {@link FaultyNetwork}, and its faults. */
final class FaultyLink {

    enum Fault {
        RESET {
            @Override
            void strike(FaultyLink link, Random random) {
                link.reset();
            }
        },
        /** One end receives FIN. */
        HALF_CLOSE {
            @Override
            void strike(FaultyLink link, Random random) {
                link.finish(random.nextBoolean() ? link.client : link.server);
            }
        },
        /** Nothing passes for 0.5 to 4.5 s. */
        STALL {
            @Override
            void strike(FaultyLink link, Random random) {
                link.stalledUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(4000));
            }
        },
        /** For 5 s, all bytes are 20 to 420 ms late. */
        DELAY {
            @Override
            void strike(FaultyLink link, Random random) {
                link.delayNanos = TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(400));
                link.delayedUntil = System.nanoTime() + DELAYED_FOR.toNanos();
            }
        },
        /** One direction loses all further bytes. */
        BLACK_HOLE {
            @Override
            void strike(FaultyLink link, Random random) {
                (random.nextBoolean() ? link.up : link.down).isLosing = true;
            }
        };

        abstract void strike(FaultyLink link, Random random);
    }

    interface Observer {
        void passes(FaultyLink link, String type);

        /** May be called more than once. */
        void ended(FaultyLink link);
    }

    private static final Duration DELAYED_FOR = Duration.ofSeconds(5);
    /** gRPC writes the type of a message in clear text, before the content. */
    private static final Pattern TYPES = Pattern.compile(String.join(
            "|", FaultyNetwork.LISTEN, FaultyNetwork.QUERY, FaultyNetwork.METRIC_ANSWER, FaultyNetwork.RESET));

    private static final int LONGEST_TYPE = 32;
    private static final AtomicInteger THREADS = new AtomicInteger();

    private final Socket client;
    private final Socket server;
    private final Observer observer;
    private final Direction up;
    private final Direction down;
    private final AtomicInteger open = new AtomicInteger(2);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile long stalledUntil = System.nanoTime();
    private volatile long delayedUntil = stalledUntil;
    private volatile long delayNanos;

    /** Whether the client has sent a batch listen since the network awaits one. */
    private volatile boolean hasListened;

    private final class Direction implements Runnable {
        private final Socket from;
        private final Socket to;
        private volatile boolean isLosing;
        private String unmatched = "";

        Direction(Socket from, Socket to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            byte[] buffer = new byte[16_384];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    observe(buffer, length);
                    if (!isOverAfterPause() && !isLosing) {
                        out.write(buffer, 0, length);
                    }
                }
                to.shutdownOutput();
            } catch (IOException broken) {
                reset();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                reset();
            } finally {
                if (open.decrementAndGet() == 0) {
                    close();
                }
            }
        }

        private void observe(byte[] buffer, int length) {
            String text = unmatched + new String(buffer, 0, length, ISO_8859_1);
            Matcher types = TYPES.matcher(text);
            int matched = 0;
            while (types.find()) {
                matched = types.end();
                observer.passes(FaultyLink.this, types.group());
            }
            unmatched = text.substring(Math.max(matched, text.length() - LONGEST_TYPE));
        }
    }

    FaultyLink(Socket client, Socket server, Observer observer) {
        this.client = client;
        this.server = server;
        this.observer = observer;
        this.up = new Direction(client, server);
        this.down = new Direction(server, client);
    }

    void start() {
        for (Direction direction : new Direction[] {up, down}) {
            var thread = new Thread(direction, "faulty-link-" + THREADS.incrementAndGet());
            thread.setDaemon(true);
            thread.start();
        }
    }

    void noteListen() {
        hasListened = true;
    }

    boolean hasListened() {
        return hasListened;
    }

    void reset() {
        for (Socket socket : new Socket[] {client, server}) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException closed) {
                // closed already
            }
        }
        close();
    }

    private void finish(Socket end) {
        try {
            end.shutdownOutput();
        } catch (IOException closed) {
            reset();
        }
    }

    private void close() {
        try {
            client.close();
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ended.countDown();
            observer.ended(this);
        }
    }

    /** Waits for the pauses of faults; returns whether the link has ended. */
    private boolean isOverAfterPause() throws InterruptedException {
        boolean isOver = false;
        for (long left = stalledUntil - System.nanoTime();
                left > 0 && !isOver;
                left = stalledUntil - System.nanoTime()) {
            isOver = ended.await(left, TimeUnit.NANOSECONDS);
        }
        if (!isOver && System.nanoTime() - delayedUntil < 0) {
            isOver = ended.await(delayNanos, TimeUnit.NANOSECONDS);
        }
        return isOver;
    }
}
