package io.cairn.server.naming.view;

import io.cairn.api.naming.Instance;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.UnhealthyCause;
import org.jspecify.annotations.Nullable;

/** A published instance with its override and encoded form. Immutable except for the encoding. */
public final class RegisteredInstance {

    private final Instance published;
    private final @Nullable InstanceOverride override;
    private final Instance shown;
    private final long publishedAt;
    private final long healthSinceMillis;
    private final @Nullable UnhealthyCause unhealthyCause;
    private byte @Nullable [] json;

    /** @param publishedAt of its registration; the later of two is shown */
    public RegisteredInstance(Instance published, @Nullable InstanceOverride override, long publishedAt) {
        this(published, override, publishedAt, 0, null);
    }

    /**
     * @param healthSinceMillis of its present health, in epoch milliseconds; 0 if unknown
     * @param unhealthyCause null if healthy, or registered unhealthy
     */
    public RegisteredInstance(
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

    public Instance published() {
        return published;
    }

    /** With its override applied. */
    public Instance shown() {
        return shown;
    }

    /** Whether an operator or its owner drains it. */
    public boolean isDraining() {
        return drainEndMillis() != 0;
    }

    /** Whether the drain alone keeps it out of the lists. */
    public boolean isHiddenByDrain() {
        return override != null
                && override.isDraining()
                && override.drainedUntil(0).applyTo(published).enabled();
    }

    /** Epoch milliseconds; 0 without a drain. */
    public long drainEndMillis() {
        return override == null ? 0 : override.drainEndMillis();
    }

    public long publishedAt() {
        return publishedAt;
    }

    /** Epoch milliseconds; 0 if unknown. */
    public long healthSinceMillis() {
        return healthSinceMillis;
    }

    public @Nullable UnhealthyCause unhealthyCause() {
        return unhealthyCause;
    }

    @SuppressWarnings("ReferenceEquality") // identity with the present override means no change
    public RegisteredInstance with(@Nullable InstanceOverride now) {
        return now == override
                ? this
                : new RegisteredInstance(published, now, publishedAt, healthSinceMillis, unhealthyCause);
    }

    /** The same instance, registered again; it stays encoded. */
    @SuppressWarnings("ReferenceEquality") // as above
    public RegisteredInstance registeredAgain(@Nullable InstanceOverride now, long publishedAgainAt) {
        RegisteredInstance again =
                new RegisteredInstance(published, now, publishedAgainAt, healthSinceMillis, unhealthyCause);
        if (now == override) {
            again.json = json;
        }
        return again;
    }

    /** @param cause null if healthy */
    public RegisteredInstance withHealthy(boolean now, long sinceMillis, @Nullable UnhealthyCause cause) {
        return new RegisteredInstance(published.withHealthy(now), override, publishedAt, sinceMillis, cause);
    }

    /** Encoded on demand; two threads may both do so, with the same result. */
    public byte[] json(String groupedName) {
        byte[] known = json;
        if (known == null) {
            known = NamingWire.instance(shown, groupedName);
            json = known;
        }
        return known;
    }
}
