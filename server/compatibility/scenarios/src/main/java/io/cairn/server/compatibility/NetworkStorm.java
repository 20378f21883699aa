package io.cairn.server.compatibility;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Breaks random connections of a {@link FaultyNetwork}, and refuses some, until it is closed. */
final class NetworkStorm implements AutoCloseable {
    private static final FaultyLink.Fault[] FAULTS = FaultyLink.Fault.values();
    private static final int REFUSED_SHARE = 8;
    private static final Duration END = Duration.ofSeconds(30);

    private final FaultyNetwork network;
    private final Random random;
    private final Map<FaultyLink.Fault, Integer> faults = new TreeMap<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "network-storm");
        thread.setDaemon(true);
        return thread;
    });

    /** @param seed of the random choices */
    NetworkStorm(FaultyNetwork network, int faultsASecond, long seed) {
        this.network = network;
        this.random = new Random(seed);
        network.refuseOneIn(REFUSED_SHARE);
        long pause = TimeUnit.SECONDS.toNanos(1) / faultsASecond;
        timer.scheduleAtFixedRate(this::strike, pause, pause, TimeUnit.NANOSECONDS);
    }

    private void strike() {
        List<FaultyLink> links = network.links();
        if (!links.isEmpty()) {
            FaultyLink.Fault fault = FAULTS[random.nextInt(FAULTS.length)];
            fault.strike(links.get(random.nextInt(links.size())), random);
            faults.merge(fault, 1, Integer::sum);
        }
    }

    /** The number of faults by kind, after {@link #close()}. */
    Map<FaultyLink.Fault, Integer> faults() {
        return faults;
    }

    /** Ends the faults; broken connections stay broken. */
    @Override
    public void close() throws InterruptedException {
        timer.shutdown();
        if (!timer.awaitTermination(END.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("a fault takes longer than " + END.toSeconds() + " s");
        }
        network.mend();
    }
}
