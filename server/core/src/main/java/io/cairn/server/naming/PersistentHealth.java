package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.health.CheckHandle;
import io.cairn.server.naming.health.Checked;
import io.cairn.server.naming.health.HealthCheck;
import io.cairn.server.naming.health.HealthChecks;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the persistent instances checked in the way that is set for their clusters: all of them on a server without others, its share of
 * them on a node of a cluster. A node that takes over an instance from another one begins with the health that it shows. Thread-safe.
 */
public final class PersistentHealth implements StoredNaming.PersistentInstances, OperatorHealth {

    private static final Logger log = LoggerFactory.getLogger(PersistentHealth.class);

    private final NamingService naming;
    private final HealthChecks checks;
    private final Clock clock;
    private final CheckShare share;
    private final @Nullable OwnChanges changes;
    private final Map<Address, Subject> known = new ConcurrentHashMap<>();

    private record Address(ServiceKey service, String ip, int port) {

        static Address of(ServiceKey service, InstanceKey instance) {
            return new Address(service, instance.ip(), instance.port());
        }
    }

    public PersistentHealth(NamingService naming, HealthChecks checks, Clock clock) {
        this(naming, checks, clock, CheckShare.ALL, null);
    }

    /**
     * @param share the instances that this node checks; {@link #shareChanged} is to be called after each change of it
     * @param changes where the results are recorded for the other nodes; null on a server without others
     */
    public PersistentHealth(
            NamingService naming, HealthChecks checks, Clock clock, CheckShare share, @Nullable OwnChanges changes) {
        this.naming = naming;
        this.checks = checks;
        this.clock = clock;
        this.share = share;
        this.changes = changes;
    }

    @Override
    public void added(ServiceKey service, InstanceKey instance) {
        Address address = Address.of(service, instance);
        known.computeIfAbsent(address, absent -> new Subject(service, instance));
        // Afterwards, so that no change of the share comes between the question and the place in the map.
        follow(address);
    }

    @Override
    public void removed(ServiceKey service, InstanceKey instance) {
        Subject removed = known.remove(Address.of(service, instance));
        if (removed != null) {
            removed.follow(false);
        }
    }

    @Override
    public InstanceHealth.@Nullable LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
        Subject subject = known.get(Address.of(service, instance));
        return subject == null ? null : subject.lastCheck;
    }

    @Override
    public boolean isCheckedElsewhere(ServiceKey service, InstanceKey instance) {
        Subject subject = known.get(Address.of(service, instance));
        return subject != null && subject.isChecked(false);
    }

    /** Begins and ends checks, so that those run that are this node's share. */
    public void shareChanged() {
        known.keySet().forEach(this::follow);
    }

    /** One at a time with the registration and the removal of the instance. */
    private void follow(Address address) {
        known.computeIfPresent(address, (same, subject) -> {
            subject.follow(share.isOwn(subject.service, subject.address));
            return subject;
        });
    }

    /**
     * Sets the health of a persistent instance that this node checks, and that of an ephemeral one that it publishes. The health of a
     * persistent instance without checks is stored, and is read from there.
     */
    @Override
    public void set(ServiceKey service, InstanceKey instance, boolean healthy) {
        if (naming.healthChanges().persistent(service, instance) == null) {
            naming.setHealthy(service, instance, healthy);
            return;
        }
        Subject subject = known.get(Address.of(service, instance));
        if (subject != null && subject.isChecked(true)) {
            naming.setHealthy(service, instance, healthy);
            subject.record();
        }
    }

    /** An instance, looked up again in each round: it may have been registered with other values. */
    private final class Subject implements Checked {

        private final ServiceKey service;
        private final InstanceKey address;

        @GuardedBy("this")
        private @Nullable String parsedFrom;

        @GuardedBy("this")
        private HealthCheck parsed = HealthCheck.NONE;

        private volatile InstanceHealth.@Nullable LastCheck lastCheck;

        /** The running checks; null while another node checks the instance. */
        @GuardedBy("this")
        private @Nullable CheckHandle handle;

        /** The instance with the health that the other nodes were last notified of; null for none. */
        @GuardedBy("this")
        private @Nullable Instance recorded;

        Subject(ServiceKey service, InstanceKey address) {
            this.service = service;
            this.address = address;
        }

        /** Begins or ends the checks. */
        synchronized void follow(boolean isOwn) {
            CheckHandle running = handle;
            if (isOwn && running == null) {
                handle = checks.watch(this);
            } else if (!isOwn && running != null) {
                running.stop();
                handle = null;
                lastCheck = null;
                forget();
            }
        }

        /** Whether a check is set for it, and is done by this node or, otherwise, by another one. */
        synchronized boolean isChecked(boolean here) {
            return handle != null == here && check().type() != HealthCheck.Type.NONE;
        }

        /**
         * Notifies the other nodes of its present health, if they were notified of another one or of none. A check that ends after
         * another node has taken over is not recorded.
         */
        synchronized void record() {
            if (changes == null || handle == null) {
                return;
            }
            Instance instance = naming.healthChanges().persistent(service, address);
            if (instance == null) {
                return;
            }
            Instance before = recorded;
            if (before != null && !before.key().equals(instance.key())) {
                forget();
                before = null;
            }
            if (before == null || before.healthy() != instance.healthy()) {
                recorded = instance;
                naming.stored().checkedHere(service, instance.key());
                changes.checked(service, instance.key(), instance.healthy());
            }
        }

        private synchronized void forget() {
            if (changes != null && recorded != null) {
                changes.unchecked(service, recorded.key());
                recorded = null;
            }
        }

        @Override
        public String host() {
            return address.ip();
        }

        @Override
        public int port() {
            return Math.max(1, settings().checkedPort(address.port()));
        }

        private ClusterSettings settings() {
            Instance instance = naming.healthChanges().persistent(service, address);
            ServiceEntry entry = naming.registry().find(service);
            ServiceSettings stored = entry == null ? null : entry.storedSettings();
            String cluster =
                    instance == null ? address.cluster() : instance.key().cluster();
            return stored == null ? ClusterSettings.DEFAULT : stored.cluster(cluster);
        }

        @Override
        public synchronized HealthCheck check() {
            HealthCheck present = presentCheck();
            if (present.type() == HealthCheck.Type.NONE) {
                // From now on the stored health counts.
                forget();
            }
            return present;
        }

        @GuardedBy("this")
        private HealthCheck presentCheck() {
            ClusterSettings settings = settings();
            if (settings.checkedPort(address.port()) == 0) {
                return HealthCheck.NONE;
            }
            String json = settings.healthChecker();
            if (!json.equals(parsedFrom)) {
                parsed = read(json);
                parsedFrom = json;
            }
            return parsed;
        }

        private HealthCheck read(String json) {
            try {
                return HealthCheck.fromJson(json);
            } catch (CairnException e) {
                log.warn("Instances of {} are not checked: {}", service, e.text());
                return HealthCheck.NONE;
            }
        }

        @Override
        public boolean isHealthy() {
            Instance instance = naming.healthChanges().persistent(service, address);
            return instance != null && instance.healthy();
        }

        @Override
        public void checked(boolean passed, String result) {
            lastCheck = new InstanceHealth.LastCheck(clock.millis(), passed, result);
            record();
        }

        @Override
        public void report(boolean healthy, String reason) {
            Instance instance = naming.healthChanges().persistent(service, address);
            if (instance != null) {
                log.info(
                        "Instance {} of {} is {}: {}",
                        instance.key(),
                        service,
                        healthy ? "healthy" : "unhealthy",
                        reason);
                naming.healthChanges().setHealthy(service, instance.key(), healthy, UnhealthyCause.CHECK);
                record();
            }
        }
    }
}
