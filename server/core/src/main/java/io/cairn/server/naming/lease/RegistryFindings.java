package io.cairn.server.naming.lease;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.RegistryView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds refused heartbeats, and instances that did not return after a restart. */
public final class RegistryFindings implements FindingSource {

    private static final int MOST_USERS = 20;
    private static final int MOST_SERVICES = 20;

    private final RegistryView reads;
    private final RefusedBeats refused;

    public RegistryFindings(RegistryView reads, RefusedBeats refused) {
        this.reads = reads;
        this.refused = refused;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        refused.now().stream().limit(MOST_USERS).map(RegistryFindings::ofUser).forEach(found::add);
        addNotBack(namespace, reads.notBack(), found);
        return found;
    }

    /** One for each service of the namespace, largest first, and one for all others. */
    private static void addNotBack(Namespace namespace, InstanceLosses.Missing missing, List<Finding> found) {
        List<Map.Entry<ServiceKey, Integer>> services = missing.byService().entrySet().stream()
                .filter(each -> each.getKey().namespace().equals(namespace))
                .sorted(Map.Entry.<ServiceKey, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(each -> each.getKey().toString()))
                .limit(MOST_SERVICES)
                .toList();
        long others = missing.instances();
        for (Map.Entry<ServiceKey, Integer> each : services) {
            others -= each.getValue();
            found.add(notBack(each.getKey().name(), each.getKey().group(), each.getValue(), 1));
        }
        if (others > 0) {
            found.add(notBack("instances", "", others, missing.byService().size() - services.size()));
        }
    }

    private static Finding notBack(String subject, String group, long instances, long services) {
        return new Finding(
                Finding.Kind.INSTANCES_NOT_BACK,
                false,
                subject,
                group,
                Finding.count(instances, "instance") + " of " + Finding.count(services, "service")
                        + " known before the restart did not come back",
                instances,
                services);
    }

    private static Finding ofUser(RefusedBeats.Refused user) {
        return new Finding(
                Finding.Kind.BEATS_REFUSED,
                true,
                user.user(),
                "",
                "Beats of " + (user.user().isEmpty() ? "clients without credentials" : "user " + user.user())
                        + " are refused since "
                        + Instant.ofEpochMilli(user.sinceMillis()).truncatedTo(ChronoUnit.SECONDS) + " ("
                        + user.reason() + "): " + (user.isLowerBound() ? "at least " : "")
                        + Finding.count(user.instances(), "instance") + " of "
                        + Finding.count(user.services(), "service"),
                user.instances(),
                user.services(),
                user.sinceMillis(),
                user.reason());
    }
}
