package io.cairn.server.xds.stream;

import io.cairn.server.xds.view.Subscription;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts the subscribed names of each client over all its streams. Equal subscriptions of a client's streams count once, without
 * names of other clients.
 */
public final class ClientNames {

    private final int most;
    private final Map<Client, Held> clients = new ConcurrentHashMap<>();

    public ClientNames(int most) {
        this.most = most;
    }

    public record Client(String address, String nodeId) {}

    /** One client's subscriptions, compared by identity; guarded by the lock of its entry. */
    private static final class Held {

        private final Map<Subscription, Integer> streams = new HashMap<>(4);
        private long names;

        void add(Subscription subscription) {
            if (streams.merge(subscription, 1, Integer::sum) == 1) {
                names += subscription.names().size();
            }
        }

        void remove(Subscription subscription) {
            Integer count = streams.remove(subscription);
            if (count == null) {
                return;
            }
            if (count > 1) {
                streams.put(subscription, count - 1);
            } else {
                names -= subscription.names().size();
            }
        }
    }

    /**
     * Replaces a stream's subscription.
     *
     * @param before null for the first
     * @param limited false for a change that the client did not request
     * @throws XdsLimits.ExceededException for more names than permitted and before
     */
    public void replace(Client client, @Nullable Subscription before, Subscription now, boolean limited) {
        clients.compute(client, (same, present) -> {
            Held held = present == null ? new Held() : present;
            long had = held.names;
            if (before != null) {
                held.remove(before);
            }
            held.add(now);
            if (limited && held.names > most && held.names > had) {
                held.remove(now);
                if (before != null) {
                    held.add(before);
                }
                throw new XdsLimits.ExceededException(
                        "too many names of resources in the subscriptions of all streams of this client", most);
            }
            return held;
        });
    }

    public void remove(Client client, Subscription subscription) {
        clients.computeIfPresent(client, (same, held) -> {
            held.remove(subscription);
            return held.streams.isEmpty() ? null : held;
        });
    }

    public int clients() {
        return clients.size();
    }
}
