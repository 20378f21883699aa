package io.cairn.server.limit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How many connections there may be, in all and from one address, over both ports. Thread-safe. */
public final class ConnectionLimits {

    private final ConcurrentHashMap<String, AddressLoad> byAddress = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final Limit all;
    private final Limit perAddress;

    public ConnectionLimits(Limit all, Limit perAddress) {
        this.all = all.measuredBy(open::get);
        this.perAddress = perAddress.measuredBy(() -> byAddress.values().stream()
                .mapToInt(load -> load.connections.get())
                .max()
                .orElse(0));
    }

    /** A connection that was let in, or the text that says why not. */
    public record Entry(
            @Nullable AddressLoad load, @Nullable String refusal) {}

    /** Lets a connection in, which {@link #left} when it is closed, or says which limit is in the way. */
    public Entry entered(String address) {
        int count = open.incrementAndGet();
        if (!all.allows(count)) {
            open.decrementAndGet();
            return new Entry(null, all.text(count));
        }
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

    /** A connection that was let in is closed. */
    public void left(String address) {
        open.decrementAndGet();
        byAddress.computeIfPresent(address, (key, load) -> load.connections.decrementAndGet() == 0 ? null : load);
    }
}
