package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Who ordered a change: a user, where known, and the address it came from. Both are what somebody says of himself, so
 * they are cut to what their columns hold.
 *
 * @param caller who it was as far as the server knows by itself; null when it does not
 */
public record Author(
        @Nullable String user,
        @Nullable String address,
        @Nullable Caller caller) {

    private static final int MAX_USER = 128;
    private static final int MAX_ADDRESS = 50;

    public Author {
        if (caller != null && !caller.principal().name().isEmpty()) {
            // Who is known is not asked for his name.
            user = caller.principal().name();
        }
        user = cut(user, MAX_USER);
        address = cut(address, MAX_ADDRESS);
    }

    /** Somebody of whom no more is known than what he says. */
    public Author(@Nullable String user, @Nullable String address) {
        this(user, address, null);
    }

    /** @throws io.cairn.server.auth.DeniedException when it is known who it was, and he may not change the configuration */
    public void mustMayWrite(ConfigKey key) {
        if (caller != null) {
            caller.mustMayWrite(key);
        }
    }

    /** Whether it is not known who it was, or he may read the configuration. */
    public boolean mayRead(ConfigKey key) {
        return caller == null || caller.principal().mayRead(key);
    }

    /** Whether it is not known who it was, or he may do everything. */
    public boolean mayDoEverything() {
        return caller == null || caller.principal().isAdmin();
    }

    private static @Nullable String cut(@Nullable String text, int maxLength) {
        return text == null || text.length() <= maxLength ? text : text.substring(0, maxLength);
    }
}
