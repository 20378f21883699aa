package io.cairn.server.subscription.fuzzy;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.push.Push;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection's watch of a pattern. Sends differences between the client's and the matching names in batches, one at a time. A
 * batch has the state at its sending, and may be retried. So a change of a name in an unacknowledged batch follows the
 * acknowledgement: the last message about each name is the newest.
 *
 * <p>Runs on the connection's event loop, in the order of the calls.
 */
final class FuzzyWatch {

    private static final Logger log = LoggerFactory.getLogger(FuzzyWatch.class);

    private final String pattern;
    private final ClientConnection connection;
    private final Predicate<String> isPresent;
    private final FuzzyMessages messages;
    private @Nullable Comparison comparison;
    private boolean ended;

    /** The keys of this watch's pushes in the connection's queue. */
    private record Compared(String pattern) {}

    private record Changed(String name) {}

    FuzzyWatch(String pattern, ClientConnection connection, Predicate<String> isPresent, FuzzyMessages messages) {
        this.pattern = pattern;
        this.connection = connection;
        this.isPresent = isPresent;
        this.messages = messages;
    }

    /**
     * Sends the differences.
     *
     * @param surplus names that the client should not have
     * @param missing names that the client should have
     */
    void compare(Collection<String> surplus, Collection<String> missing, boolean initial) {
        List<Difference> differences = new ArrayList<>(surplus.size() + missing.size());
        surplus.forEach(name -> differences.add(new Difference(name, true)));
        missing.forEach(name -> differences.add(new Difference(name, false)));
        onLoop(() -> {
            Comparison before = comparison;
            Comparison begun = new Comparison(differences, initial);
            comparison = begun;
            if (before != null) {
                // Its batch must not be retried after newer messages about its names.
                connection.takeBack(new Compared(pattern));
                before.dispatchLater();
            }
            begun.next();
        });
    }

    void changed(String name, Push push) {
        onLoop(() -> {
            if (comparison == null || !comparison.defers(name, push)) {
                connection.push(new Changed(name), push);
            }
        });
    }

    void end() {
        onLoop(() -> {
            ended = true;
            comparison = null;
        });
    }

    private void onLoop(Runnable task) {
        try {
            connection.loop().execute(() -> {
                if (!ended) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connection.id(), e);
        }
    }

    private record Difference(String name, boolean known) {}

    private final class Comparison {

        private final List<Difference> differences;
        private final boolean initial;
        private final int batches;
        private final Map<String, Push> later = new LinkedHashMap<>();
        private Map<String, Boolean> underWay = Map.of();
        private int batch;

        Comparison(List<Difference> differences, boolean initial) {
            this.differences = differences;
            this.initial = initial;
            this.batches = (differences.size() + messages.batchSize() - 1) / messages.batchSize();
        }

        boolean defers(String name, Push push) {
            if (!underWay.containsKey(name)) {
                return false;
            }
            later.put(name, push);
            return true;
        }

        void dispatchLater() {
            later.forEach((name, push) -> connection.push(new Changed(name), push));
            later.clear();
        }

        void next() {
            underWay = Map.of();
            while (underWay.isEmpty() && batch < batches) {
                underWay = states(batch++);
            }
            if (!underWay.isEmpty()) {
                connection.push(
                        new Compared(pattern),
                        messages.differences(pattern, initial, batch, batches, underWay, this::acknowledged));
                return;
            }
            comparison = null;
            if (initial) {
                connection.push(new Compared(pattern), messages.finished(pattern));
            }
        }

        /** The batch's names that still differ. */
        private Map<String, Boolean> states(int number) {
            Map<String, Boolean> states = new LinkedHashMap<>();
            int from = number * messages.batchSize();
            int to = Math.min(from + messages.batchSize(), differences.size());
            for (Difference difference : differences.subList(from, to)) {
                boolean present = isPresent.test(difference.name());
                if (present != difference.known()) {
                    states.put(difference.name(), present);
                }
            }
            return states;
        }

        private void acknowledged() {
            if (comparison == this) {
                dispatchLater();
                next();
            }
        }
    }
}
