package io.cairn.cli.migrate;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Decision.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

record MirrorPlan(Map<InstanceKey, Instance> wanted, List<Decision> decisions) {

    /** Decides which copies to show. Pure. */
    static MirrorPlan of(
            ServiceKey service,
            String from,
            Side at,
            Map<InstanceKey, Instance> natives,
            Map<InstanceKey, Instance> present,
            Set<InstanceKey> nativesHere,
            Optional<String> hold) {
        Map<InstanceKey, Instance> wanted = new LinkedHashMap<>();
        List<Decision> decisions = new ArrayList<>();
        natives.forEach((key, instance) -> {
            if (nativesHere.contains(key)) {
                return;
            }
            Instance copy = Origin.copy(instance, from);
            Instance before = present.get(key);
            wanted.put(key, copy);
            if (before == null) {
                decisions.add(decision(Outcome.CREATED, service, key, "at the " + at + ", new at the " + at.other()));
            } else if (!before.equals(copy)) {
                decisions.add(decision(Outcome.UPDATED, service, key, "at the " + at + ", " + change(before, copy)));
            }
        });
        present.forEach((key, copy) -> {
            if (wanted.containsKey(key)) {
                return;
            }
            if (nativesHere.contains(key)) {
                decisions.add(decision(
                        Outcome.DELETED, service, key, "the copy at the " + at + ", registered there by a client"));
            } else if (hold.isPresent()) {
                wanted.put(key, copy);
                decisions.add(decision(Outcome.HELD, service, key, hold.get()));
            } else {
                decisions.add(decision(
                        Outcome.DELETED, service, key, "the copy at the " + at + ", gone at the " + at.other()));
            }
        });
        return new MirrorPlan(wanted, decisions);
    }

    private static Decision decision(Outcome outcome, ServiceKey service, InstanceKey key, String reason) {
        return new Decision(outcome, service + " " + key, reason);
    }

    private static String change(Instance before, Instance now) {
        List<String> changed = new ArrayList<>();
        if (before.weight() != now.weight()) {
            changed.add("weight " + now.weight());
        }
        if (before.healthy() != now.healthy()) {
            changed.add(now.healthy() ? "healthy" : "unhealthy");
        }
        if (before.enabled() != now.enabled()) {
            changed.add(now.enabled() ? "enabled" : "disabled");
        }
        if (!before.metadata().equals(now.metadata())) {
            changed.add("metadata");
        }
        if (before.ephemeral() != now.ephemeral()) {
            changed.add(now.ephemeral() ? "ephemeral" : "persistent");
        }
        return String.join(", ", changed);
    }
}
