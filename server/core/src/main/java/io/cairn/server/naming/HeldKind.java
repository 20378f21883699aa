package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import org.jspecify.annotations.Nullable;

/**
 * Whether a service is ephemeral, and what holds it to that: its stored settings, its publications, or something that is being stored.
 * Used with the lock of the service held.
 */
final class HeldKind {

    private final ServicePublications publications;
    private boolean ephemeral;
    private int reservations;
    private @Nullable ServiceSettings settings;

    HeldKind(ServicePublications publications, boolean ephemeral) {
        this.publications = publications;
        this.ephemeral = ephemeral;
    }

    boolean isEphemeral() {
        return ephemeral;
    }

    /** Those that are stored. */
    @Nullable
    ServiceSettings settings() {
        return settings;
    }

    /** The stored settings, or the defaults. */
    ServiceSettings settingsOrDefaults() {
        return settings != null ? settings : ServiceSettings.ofKind(ephemeral);
    }

    /**
     * Makes the service one of that kind; returns whether it was of the other one.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if something holds the other kind
     */
    boolean take(ServiceKey key, boolean asEphemeral) {
        if (ephemeral == asEphemeral) {
            return false;
        }
        if (!isFree()) {
            throw new NamingException(
                    NamingException.Fault.OTHER_KIND,
                    "errCode: 400, errMsg: Current service " + NamingWire.groupedName(key) + " is "
                            + (ephemeral ? "ephemeral" : "persistent") + " service, can't register "
                            + (asEphemeral ? "ephemeral" : "persistent") + " instance. ");
        }
        ephemeral = asEphemeral;
        return true;
    }

    /** Makes the service persistent; returns whether it was not. */
    boolean becomePersistent() {
        boolean was = ephemeral;
        ephemeral = false;
        return was;
    }

    /** Makes the service ephemeral if nothing holds the other kind; returns whether it was of that. */
    boolean becomeEphemeralIfFree() {
        boolean becomes = !ephemeral && isFree();
        ephemeral |= becomes;
        return becomes;
    }

    private boolean isFree() {
        return settings == null && reservations == 0 && publications.count() == 0;
    }

    void reserve() {
        reservations++;
    }

    void release() {
        reservations--;
    }

    /** @param now null when none are stored any more */
    void configure(@Nullable ServiceSettings now) {
        settings = now;
        if (now != null && publications.count() == 0) {
            ephemeral = now.ephemeral();
        } else if (now != null && !now.ephemeral()) {
            ephemeral = false;
        }
    }

    /** Whether there is a publication, or something is being stored. */
    boolean isUsed() {
        return publications.count() > 0 || reservations > 0;
    }
}
