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
 * One connection's watch of one pattern. The differences between what it knows and what matches are brought in batches,
 * one at a time; a batch shows the state of its moment, and may be repeated. So what changes meanwhile of that batch is
 * brought after it: the last word about each name is always the newest.
 *
 * <p>What is handed over is done on the connection's event loop, in its order.
 */
final class FuzzyWatch {

    private static final Logger log = LoggerFactory.getLogger(FuzzyWatch.class);

    private final String pattern;
    private final ClientConnection connection;
    private final Predicate<String> isPresent;
    private final FuzzyMessages messages;
    private @Nullable Comparison comparison;
    private boolean ended;

    /** By these the connection's queue knows older pushes about the same. */
    private record Compared(String pattern) {}

    private record Changed(String name) {}

    FuzzyWatch(String pattern, ClientConnection connection, Predicate<String> isPresent, FuzzyMessages messages) {
        this.pattern = pattern;
        this.connection = connection;
        this.isPresent = isPresent;
        this.messages = messages;
    }

    /**
     * Brings what differs.
     *
     * @param surplus what the client knows but should not
     * @param missing what it should know but does not
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
                // Its batch must not be repeated after newer words about the same names.
                connection.takeBack(new Compared(pattern));
                before.bringLater();
            }
            begun.next();
        });
    }

    /** A name has come or gone. */
    void changed(String name, Push push) {
        onLoop(() -> {
            if (comparison == null || !comparison.defers(name, push)) {
                connection.push(new Changed(name), push);
            }
        });
    }

    /** It is not watched any more. */
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

        void bringLater() {
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

        /** What of that batch still differs. */
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
                bringLater();
                next();
            }
        }
    }
}
