package io.cairn.cli.migrate;

import io.cairn.cli.migrate.Decision.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Logs a decision once, and keeps open decisions. Thread-safe. */
public final class Report {

    private final Consumer<Decision> log;
    private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
    private final Map<String, Decision> open = new LinkedHashMap<>();
    private long same;
    private long oldestBehind = Long.MAX_VALUE;

    public Report(Consumer<Decision> log) {
        this.log = log;
    }

    public synchronized void same(String subject) {
        same++;
        open.remove(subject);
    }

    public synchronized void add(Decision decision) {
        boolean stays = isOpen(decision.outcome());
        if (stays) {
            if (decision.equals(open.put(decision.subject(), decision))) {
                return;
            }
        } else {
            open.remove(decision.subject());
        }
        counts.merge(decision.outcome(), 1L, Long::sum);
        log.accept(decision);
    }

    private static boolean isOpen(Outcome outcome) {
        return switch (outcome) {
            case KEPT, CONFLICT, HELD, FAILED -> true;
            case CREATED, UPDATED, DELETED -> false;
        };
    }

    /** Notes a change that is not carried over yet. */
    public synchronized void behind(long modifiedMillis) {
        oldestBehind = modifiedMillis > 0 ? Math.min(oldestBehind, modifiedMillis) : oldestBehind;
    }

    /** The time of the oldest change that is not carried over. */
    public synchronized Optional<Instant> oldestBehind() {
        return oldestBehind == Long.MAX_VALUE ? Optional.empty() : Optional.of(Instant.ofEpochMilli(oldestBehind));
    }

    public synchronized void settled(String subject) {
        open.remove(subject);
    }

    public synchronized long count(Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }

    public synchronized long same() {
        return same;
    }

    public synchronized List<Decision> open() {
        return new ArrayList<>(open.values());
    }

    /** Open decisions about configurations and services that both sides should have alike. */
    public synchronized List<Decision> unequal() {
        return open.values().stream()
                .filter(each -> each.outcome() != Outcome.KEPT)
                .toList();
    }

    public synchronized boolean needsOperator() {
        return open.values().stream()
                .anyMatch(each -> each.outcome() == Outcome.CONFLICT || each.outcome() == Outcome.FAILED);
    }
}
