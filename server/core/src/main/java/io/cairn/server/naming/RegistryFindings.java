package io.cairn.server.naming;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Finds heartbeats that are refused, and instances that did not come back after a restart. */
public final class RegistryFindings implements FindingSource {

    private static final int MOST_USERS = 20;

    private final NamingService naming;
    private final RefusedBeats refused;

    public RegistryFindings(NamingService naming, RefusedBeats refused) {
        this.naming = naming;
        this.refused = refused;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        refused.now().stream().limit(MOST_USERS).map(RegistryFindings::ofUser).forEach(found::add);
        InstanceLosses.Extent absent = naming.notBack();
        if (absent.instances() > 0) {
            found.add(new Finding(
                    Finding.Kind.INSTANCES_NOT_BACK,
                    false,
                    "instances",
                    "",
                    Finding.count(absent.instances(), "instance") + " of " + Finding.count(absent.services(), "service")
                            + " known before the restart did not come back",
                    absent.instances(),
                    absent.services()));
        }
        return found;
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
