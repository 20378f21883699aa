package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Follows configurations and services of two servers until it is interrupted, each on a thread. */
public final class Bridge {

    private final ConfigPass configs;
    private final List<Namespace> namespaces;
    private final Report report;
    private final Follow follow;
    private final Consumer<String> notices;
    private final Wake<ServiceKey> changedServices = new Wake<>();
    private @Nullable ServicePass services;
    private @Nullable BridgePresence presence;
    private boolean cutOver;
    private volatile boolean nothingLeft;
    private volatile String waitsFor = "";

    public Bridge(
            ConfigPass configs, List<Namespace> namespaces, Follow follow, Report report, Consumer<String> notices) {
        this.configs = configs;
        this.report = report;
        this.namespaces = List.copyOf(namespaces);
        this.follow = follow;
        this.notices = notices;
    }

    public void follow(
            Map<Side, ServiceStore> stores,
            Map<Side, String> addresses,
            boolean bothWays,
            Journal journal,
            String bridge,
            boolean cutOver) {
        this.cutOver = cutOver;
        presence = new BridgePresence(
                stores,
                namespaces,
                bothWays,
                journal.bridge(),
                Map.of(
                        "host", bridge,
                        "from", String.valueOf(addresses.get(Side.SOURCE)),
                        "to", String.valueOf(addresses.get(Side.TARGET)),
                        "since", Instant.now().toString()));
        services = new ServicePass(
                stores,
                addresses,
                bothWays,
                follow,
                Clock.systemUTC(),
                journal,
                report,
                key -> changedServices.add(List.of(key)));
    }

    /** Holds removals: clients may not be back yet. */
    public void startsAfterOutage() {
        if (services != null) {
            services.startsAfterOutage();
        }
    }

    public int copies() {
        ServicePass present = services;
        return present == null ? 0 : present.copies();
    }

    /** @throws OtherBridgeException when another bridge connects these servers */
    public void run() throws InterruptedException {
        while (true) {
            try {
                runAll();
            } catch (InterruptedException e) {
                if (!nothingLeft || services == null) {
                    throw e;
                }
            }
            if (isCutOver(Objects.requireNonNull(services))) {
                return;
            }
            nothingLeft = false;
        }
    }

    private boolean isCutOver(ServicePass present) throws InterruptedException {
        notices.accept("no instance is a copy any more; comparing everything for the last time");
        try {
            for (Namespace namespace : namespaces) {
                configs.all(namespace, true);
            }
        } catch (SideException e) {
            notices.accept("the cut-over waits: " + e.getMessage());
            Thread.sleep(follow.list().toMillis());
            return false;
        }
        if (cutOverWaits()) {
            return false;
        }
        present.keepPersistent();
        present.withdraw(namespaces);
        if (presence != null) {
            presence.withdraw();
        }
        return true;
    }

    /** Whether decisions are open that a cut-over would leave so for good; a new reason is noticed. */
    private boolean cutOverWaits() {
        List<Decision> unequal = report.unequal();
        String reason = unequal.isEmpty() ? "" : unequal.size() + " open, the first: " + unequal.get(0);
        if (!reason.isEmpty() && !reason.equals(waitsFor)) {
            notices.accept("the cut-over waits until both sides are equal: " + reason);
        }
        waitsFor = reason;
        return !unequal.isEmpty();
    }

    private void runAll() throws InterruptedException {
        AtomicReference<RuntimeException> fault = new AtomicReference<>();
        Thread here = Thread.currentThread();
        Thread second = null;
        ServicePass present = services;
        if (present != null) {
            Follower<ServiceKey> follower =
                    new Follower<>("services", new Services(present, here), changedServices, follow, notices);
            second = new Thread(() -> runServices(follower, fault, here), "cairn-migrate-services");
            second.start();
        }
        try {
            runConfigs();
        } catch (InterruptedException e) {
            RuntimeException failed = fault.get();
            if (failed != null) {
                throw failed;
            }
            throw e;
        } finally {
            if (second != null) {
                second.interrupt();
                second.join();
            }
        }
    }

    private static void runServices(
            Follower<ServiceKey> follower, AtomicReference<RuntimeException> fault, Thread main) {
        try {
            follower.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            fault.set(e);
            main.interrupt();
        }
    }

    private void runConfigs() throws InterruptedException {
        Wake<ConfigKey> wake = new Wake<>();
        List<ConfigListeners> listeners = new ArrayList<>();
        for (Side side : configs.leading()) {
            listeners.add(
                    new ConfigListeners(side.toString(), configs.store(side), configs.seen(side), wake, follow.poll()));
        }
        try {
            new Follower<>("configurations", new Configs(listeners), wake, follow, notices).run();
        } finally {
            listeners.forEach(ConfigListeners::close);
        }
    }

    private final class Configs implements Follower.Comparison<ConfigKey> {

        private final List<ConfigListeners> listeners;

        Configs(List<ConfigListeners> listeners) {
            this.listeners = listeners;
        }

        @Override
        public void all(boolean deep) {
            for (Namespace namespace : namespaces) {
                configs.all(namespace, deep);
            }
            listeners.forEach(ConfigListeners::adjust);
        }

        @Override
        public void some(Set<ConfigKey> changed) {
            configs.some(changed);
        }
    }

    private final class Services implements Follower.Comparison<ServiceKey> {

        private final ServicePass pass;
        private final Thread main;

        Services(ServicePass pass, Thread main) {
            this.pass = pass;
            this.main = main;
        }

        @Override
        public void all(boolean deep) {
            if (presence != null) {
                presence.check();
            }
            pass.all(namespaces);
            if (cutOver && pass.ephemeralCopies() == 0 && !cutOverWaits()) {
                nothingLeft = true;
                main.interrupt();
            }
        }

        @Override
        public void some(Set<ServiceKey> changed) {
            pass.some(changed);
        }
    }
}
