package io.cairn.server.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

public final class ConnectionLimits {

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int FORGOTTEN_AT_ONCE = 4;

    private final ConcurrentHashMap<String, AddressLoad> byAddress = new ConcurrentHashMap<>();
    /** Addresses without a connection whose requests still count, in the order of their last close. */
    private final ConcurrentLinkedQueue<Idle> idle = new ConcurrentLinkedQueue<>();

    private final AtomicInteger open = new AtomicInteger();
    private final Limit all;
    private final Limit perAddress;

    private final LongSupplier nanoTime;

    private record Idle(String address, AddressLoad load, long sinceNanos) {}

    public ConnectionLimits(Limit all, Limit perAddress) {
        this(all, perAddress, System::nanoTime);
    }

    ConnectionLimits(Limit all, Limit perAddress, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.all = all.measuredBy(open::get);
        this.perAddress = perAddress.measuredBy(() -> byAddress.values().stream()
                .mapToInt(load -> load.connections.get())
                .max()
                .orElse(0));
    }

    public record Entry(
            @Nullable AddressLoad load, @Nullable String refusal) {}

    /** Admits a connection, to be followed by {@link #left}, or names the exceeded limit. */
    public Entry entered(String address) {
        int count = open.incrementAndGet();
        if (!all.allows(count)) {
            open.decrementAndGet();
            return new Entry(null, all.text(count));
        }
        forgetIdle();
        AddressLoad load = byAddress.compute(address, (key, known) -> {
            AddressLoad present = known == null ? new AddressLoad() : known;
            present.connections.incrementAndGet();
            return present;
        });
        int here = load.connections.get();
        if (!perAddress.allows(here)) {
            left(address);
            return new Entry(null, perAddress.text(here));
        }
        return new Entry(load, null);
    }

    /** Releases an admitted connection. */
    public void left(String address) {
        open.decrementAndGet();
        AddressLoad load = byAddress.get(address);
        if (load != null && load.connections.decrementAndGet() == 0) {
            // This load limits a client that opens a connection for each request, so keep it for a moment.
            idle.add(new Idle(address, load, nanoTime.getAsLong()));
        }
    }

    /** Removes some addresses without a recent connection, more than are added. */
    private void forgetIdle() {
        for (int i = 0; i < FORGOTTEN_AT_ONCE; i++) {
            Idle first = idle.peek();
            if (first == null || nanoTime.getAsLong() - first.sinceNanos() < KEPT_NANOS || !idle.remove(first)) {
                return;
            }
            byAddress.computeIfPresent(
                    first.address(), (key, load) -> load == first.load() && load.connections.get() == 0 ? null : load);
        }
    }

    int addresses() {
        return byAddress.size();
    }
}
