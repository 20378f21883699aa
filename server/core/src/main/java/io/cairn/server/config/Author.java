package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The user, if known, and the address behind a change. Both may be claims of the client, so they are cut to their columns.
 *
 * @param caller the authenticated caller, or null
 */
public record Author(
        @Nullable String user,
        @Nullable String address,
        @Nullable Caller caller) {

    private static final int MAX_USER = 128;
    private static final int MAX_ADDRESS = 50;

    public Author {
        if (caller != null && !caller.principal().name().isEmpty()) {
            // An authenticated name takes precedence over the claimed one.
            user = caller.principal().name();
        }
        user = cut(user, MAX_USER);
        address = cut(address, MAX_ADDRESS);
    }

    /** An author by the request's own claims. */
    public Author(@Nullable String user, @Nullable String address) {
        this(user, address, null);
    }

    /** @throws io.cairn.server.auth.DeniedException for a known caller without the right */
    public void mustMayWrite(ConfigKey key) {
        if (caller != null) {
            caller.mustMayWrite(key);
        }
    }

    /** True without a known caller. */
    public boolean mayRead(ConfigKey key) {
        return caller == null || caller.principal().mayRead(key);
    }

    /** True without a known caller. */
    public boolean mayDoEverything() {
        return caller == null || caller.principal().isAdmin();
    }

    private static @Nullable String cut(@Nullable String text, int maxLength) {
        return text == null || text.length() <= maxLength ? text : text.substring(0, maxLength);
    }
}
