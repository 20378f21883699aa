package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.wire.naming.NamingWire;
import org.jspecify.annotations.Nullable;

/** A published instance with its override applied, and its encoded form. Immutable except for the cached encoding. */
final class RegisteredInstance {

    private final Instance published;
    private final @Nullable InstanceOverride override;
    private final Instance shown;
    private final long publishedAt;
    private final long healthSinceMillis;
    private final @Nullable UnhealthyCause unhealthyCause;
    private byte @Nullable [] json;

    /** @param publishedAt the time of its registration; the later of two publications of one instance has the higher one */
    RegisteredInstance(Instance published, @Nullable InstanceOverride override, long publishedAt) {
        this(published, override, publishedAt, 0, null);
    }

    /**
     * @param healthSinceMillis since when it has been healthy or unhealthy, in epoch milliseconds; 0 when not known
     * @param unhealthyCause why it is not healthy; null when it is, and where its publisher registered it so
     */
    RegisteredInstance(
            Instance published,
            @Nullable InstanceOverride override,
            long publishedAt,
            long healthSinceMillis,
            @Nullable UnhealthyCause unhealthyCause) {
        this.healthSinceMillis = healthSinceMillis;
        this.unhealthyCause = unhealthyCause;
        this.published = published;
        this.override = override;
        this.shown = override == null ? published : override.applyTo(published);
        this.publishedAt = publishedAt;
    }

    Instance published() {
        return published;
    }

    /** The instance with its override applied. */
    Instance shown() {
        return shown;
    }

    long publishedAt() {
        return publishedAt;
    }

    /** Since when it has been healthy or unhealthy, in epoch milliseconds; 0 when not known. */
    long healthSinceMillis() {
        return healthSinceMillis;
    }

    @Nullable
    UnhealthyCause unhealthyCause() {
        return unhealthyCause;
    }

    @SuppressWarnings("ReferenceEquality") // the one it was made with, and so the cheap way to see that nothing changed
    RegisteredInstance with(@Nullable InstanceOverride now) {
        return now == override
                ? this
                : new RegisteredInstance(published, now, publishedAt, healthSinceMillis, unhealthyCause);
    }

    /** The same instance, registered again; it stays encoded. */
    @SuppressWarnings("ReferenceEquality") // as above
    RegisteredInstance registeredAgain(@Nullable InstanceOverride now, long publishedAgainAt) {
        RegisteredInstance again =
                new RegisteredInstance(published, now, publishedAgainAt, healthSinceMillis, unhealthyCause);
        if (now == override) {
            again.json = json;
        }
        return again;
    }

    /** @param cause why it is no longer healthy; null for one that is */
    RegisteredInstance withHealthy(boolean now, long sinceMillis, @Nullable UnhealthyCause cause) {
        return new RegisteredInstance(published.withHealthy(now), override, publishedAt, sinceMillis, cause);
    }

    /** Encoded when first asked for; two threads may both do so, to the same end. */
    byte[] json(String groupedName) {
        byte[] known = json;
        if (known == null) {
            known = NamingWire.instance(shown, groupedName);
            json = known;
        }
        return known;
    }
}
