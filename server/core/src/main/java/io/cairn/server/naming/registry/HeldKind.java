package io.cairn.server.naming.registry;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import org.jspecify.annotations.Nullable;

/**
 * Whether a service is ephemeral, and the reason: stored settings, publications, or a running write. Guarded by the lock of the
 * service.
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

    @Nullable
    ServiceSettings settings() {
        return settings;
    }

    ServiceSettings settingsOrDefaults() {
        return settings != null ? settings : ServiceSettings.ofKind(ephemeral);
    }

    /**
     * Sets the kind; returns whether it was the other.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if the other kind is held
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

    /** Returns whether it was ephemeral. */
    boolean becomePersistent() {
        boolean was = ephemeral;
        ephemeral = false;
        return was;
    }

    /** Unless the other kind is held; returns whether it was persistent. */
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

    /** @param now null without stored settings */
    void configure(@Nullable ServiceSettings now) {
        settings = now;
        if (now != null && publications.count() == 0) {
            ephemeral = now.ephemeral();
        } else if (now != null && !now.ephemeral()) {
            ephemeral = false;
        }
    }

    /** Whether there is a publication or a running write. */
    boolean isUsed() {
        return publications.count() > 0 || reservations > 0;
    }
}
