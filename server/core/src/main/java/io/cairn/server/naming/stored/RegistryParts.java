package io.cairn.server.naming.stored;

import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.group.ClientHandover;
import io.cairn.server.naming.group.MirroredPublications;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.lease.LeaseRenewal;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.HealthChanges;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.switches.Switches;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * The parts of the registry, which holds the instances of each service in memory. No part blocks. A change holds the locks of its
 * publisher and its service for a moment; no lock covers all.
 *
 * @param registry the services, the publishers of this node, the group of nodes, and the listeners
 * @param reads reads the registry
 * @param registrations registers and deregisters
 * @param health changes the health of the instances of this node
 * @param renewal renews the leases after a pause of this node
 * @param leases registers HTTP clients and handles their heartbeats
 * @param recovery the instances that are remembered from before a restart, and the ends of connections
 * @param mirrored the instances that other nodes of the group own
 * @param handover moves clients without a connection between nodes, as their owners change
 * @param stored applies stored changes, for {@link StoredNaming}
 */
public record RegistryParts(
        Switches switches,
        Registry registry,
        RegistryView reads,
        Registrations registrations,
        HealthChanges health,
        LeaseRenewal renewal,
        HttpLeases leases,
        Recovery recovery,
        MirroredPublications mirrored,
        ClientHandover handover,
        StoredChanges stored) {

    public static RegistryParts of(NamingSettings settings, Switches switches, Timer timer, Clock clock) {
        return of(settings, switches, timer, clock, System::nanoTime);
    }

    /** @param nanoTime replaces {@link System#nanoTime} in tests */
    public static RegistryParts of(
            NamingSettings settings, Switches switches, Timer timer, Clock clock, LongSupplier nanoTime) {
        return of(settings, switches, timer, clock, nanoTime, new InstanceLosses(timer, clock));
    }

    public static RegistryParts of(
            NamingSettings settings,
            Switches switches,
            Timer timer,
            Clock clock,
            LongSupplier nanoTime,
            InstanceLosses losses) {
        Registry registry = new Registry(settings, timer, clock, nanoTime, losses);
        Registrations registrations = new Registrations(registry);
        HealthChanges health = new HealthChanges(registry);
        LeaseRenewal renewal = new LeaseRenewal(registry);
        HttpLeases leases = new HttpLeases(registry, registrations, health, renewal);
        Recovery recovery = new Recovery(registry, registrations, leases, renewal);
        MirroredPublications mirrored = new MirroredPublications(registry, health, recovery);
        return new RegistryParts(
                switches,
                registry,
                new RegistryView(registry, switches),
                registrations,
                health,
                renewal,
                leases,
                recovery,
                mirrored,
                new ClientHandover(registry, registrations, leases, mirrored),
                new StoredChanges(registry, registrations, leases, health, mirrored));
    }
}
