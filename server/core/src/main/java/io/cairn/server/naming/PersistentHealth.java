package io.cairn.server.naming;

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

/** Has every persistent instance checked in the way that is set for its cluster. Thread-safe. */
public final class PersistentHealth implements StoredNaming.PersistentInstances {

    private static final Logger log = LoggerFactory.getLogger(PersistentHealth.class);

    private final NamingService naming;
    private final HealthChecks checks;
    private final Clock clock;
    private final Map<Address, WatchedKey> watched = new ConcurrentHashMap<>();

    private record Address(ServiceKey service, String ip, int port) {}

    private record WatchedKey(Subject subject, CheckHandle handle) {}

    public PersistentHealth(NamingService naming, HealthChecks checks, Clock clock) {
        this.naming = naming;
        this.checks = checks;
        this.clock = clock;
    }

    @Override
    public void added(ServiceKey service, InstanceKey instance) {
        watched.computeIfAbsent(new Address(service, instance.ip(), instance.port()), address -> {
            Subject subject = new Subject(service, instance);
            return new WatchedKey(subject, checks.watch(subject));
        });
    }

    @Override
    public void removed(ServiceKey service, InstanceKey instance) {
        WatchedKey removed = watched.remove(new Address(service, instance.ip(), instance.port()));
        if (removed != null) {
            removed.handle().stop();
        }
    }

    @Override
    public InstanceHealth.@Nullable LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
        WatchedKey known = watched.get(new Address(service, instance.ip(), instance.port()));
        return known == null ? null : known.subject().lastCheck;
    }

    /** One instance, looked up anew each time: it may have been registered again with other values. */
    private final class Subject implements Checked {

        private final ServiceKey service;
        private final InstanceKey address;
        private @Nullable String parsedFrom;
        private HealthCheck parsed = HealthCheck.NONE;
        private volatile InstanceHealth.@Nullable LastCheck lastCheck;

        Subject(ServiceKey service, InstanceKey address) {
            this.service = service;
            this.address = address;
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
            Instance instance = naming.persistent(service, address);
            ServiceEntry entry = naming.entry(service);
            ServiceSettings stored = entry == null ? null : entry.storedSettings();
            String cluster =
                    instance == null ? address.cluster() : instance.key().cluster();
            return stored == null ? ClusterSettings.DEFAULT : stored.cluster(cluster);
        }

        @Override
        public HealthCheck check() {
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
            Instance instance = naming.persistent(service, address);
            return instance != null && instance.healthy();
        }

        @Override
        public void checked(boolean passed, String result) {
            lastCheck = new InstanceHealth.LastCheck(clock.millis(), passed, result);
        }

        @Override
        public void report(boolean healthy, String reason) {
            Instance instance = naming.persistent(service, address);
            if (instance != null) {
                log.info(
                        "Instance {} of {} is {}: {}",
                        instance.key(),
                        service,
                        healthy ? "healthy" : "unhealthy",
                        reason);
                naming.checked(service, instance.key(), healthy);
            }
        }
    }
}
