package io.cairn.server.naming.stored;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.UnhealthyCause;
import io.cairn.server.naming.group.CheckShare;
import io.cairn.server.naming.group.OperatorHealth;
import io.cairn.server.naming.health.CheckHandle;
import io.cairn.server.naming.health.Checked;
import io.cairn.server.naming.health.HealthCheck;
import io.cairn.server.naming.health.HealthChecks;
import io.cairn.server.naming.registry.InstanceHealth;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.ServiceEntry;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the health of persistent instances by their clusters' settings. Each node checks its share. A node that takes over an
 * instance keeps its health until the first result.
 */
public final class PersistentHealth implements StoredNaming.PersistentInstances, OperatorHealth {

    private static final Logger log = LoggerFactory.getLogger(PersistentHealth.class);

    private final RegistryParts naming;
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

    public PersistentHealth(RegistryParts naming, HealthChecks checks, Clock clock) {
        this(naming, checks, clock, CheckShare.ALL, null);
    }

    /**
     * @param share the own instances; {@link #shareChanged} follows each change
     * @param changes records results for other nodes; null on a single server
     */
    public PersistentHealth(
            RegistryParts naming, HealthChecks checks, Clock clock, CheckShare share, @Nullable OwnChanges changes) {
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
        // Afterwards, so that no change of the share falls in between.
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

    /** Starts and stops checks by the present share. */
    public void shareChanged() {
        known.keySet().forEach(this::follow);
    }

    /** One at a time with registration and removal of the instance. */
    private void follow(Address address) {
        known.computeIfPresent(address, (same, subject) -> {
            subject.follow(share.isOwn(subject.service, subject.address));
            return subject;
        });
    }

    /**
     * Sets the health of a checked persistent or own ephemeral instance. Without checks, a persistent instance's health is stored,
     * and read from there.
     */
    @Override
    public void set(ServiceKey service, InstanceKey instance, boolean healthy) {
        if (naming.health().persistent(service, instance) == null) {
            naming.health().setHealthy(service, instance, healthy);
            return;
        }
        Subject subject = known.get(Address.of(service, instance));
        if (subject != null && subject.isChecked(true)) {
            naming.health().setHealthy(service, instance, healthy);
            subject.record();
        }
    }

    /** An instance, read again in each round: its values may have changed. */
    private final class Subject implements Checked {

        private final ServiceKey service;
        private final InstanceKey address;

        @GuardedBy("this")
        private @Nullable String parsedFrom;

        @GuardedBy("this")
        private HealthCheck parsed = HealthCheck.NONE;

        private volatile InstanceHealth.@Nullable LastCheck lastCheck;

        /** Null while another node checks it. */
        @GuardedBy("this")
        private @Nullable CheckHandle handle;

        /** As last sent to other nodes, or null. */
        @GuardedBy("this")
        private @Nullable Instance recorded;

        Subject(ServiceKey service, InstanceKey address) {
            this.service = service;
            this.address = address;
        }

        /** Starts or stops the checks. */
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

        /** @param here whether by this node, else by another */
        synchronized boolean isChecked(boolean here) {
            return handle != null == here && check().type() != HealthCheck.Type.NONE;
        }

        /**
         * Notifies other nodes of a health that differs from the last sent one. A check that ends after a takeover is not recorded.
         */
        synchronized void record() {
            if (changes == null || handle == null) {
                return;
            }
            Instance instance = naming.health().persistent(service, address);
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
            Instance instance = naming.health().persistent(service, address);
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
            Instance instance = naming.health().persistent(service, address);
            return instance != null && instance.healthy();
        }

        @Override
        public void checked(boolean passed, String result) {
            lastCheck = new InstanceHealth.LastCheck(clock.millis(), passed, result);
            record();
        }

        @Override
        public void report(boolean healthy, String reason) {
            Instance instance = naming.health().persistent(service, address);
            if (instance != null) {
                log.info(
                        "Instance {} of {} is {}: {}",
                        instance.key(),
                        service,
                        healthy ? "healthy" : "unhealthy",
                        reason);
                naming.health().setHealthy(service, instance.key(), healthy, UnhealthyCause.CHECK);
                record();
            }
        }
    }
}
