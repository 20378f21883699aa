package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The author of a change: the user, if known, and the address. Both may be claims of the client, so they are cut to the
 * length of their columns.
 *
 * @param caller the authenticated caller; null if the server does not know it
 */
public record Author(
        @Nullable String user,
        @Nullable String address,
        @Nullable Caller caller) {

    private static final int MAX_USER = 128;
    private static final int MAX_ADDRESS = 50;

    public Author {
        if (caller != null && !caller.principal().name().isEmpty()) {
            // The name of an authenticated caller takes precedence over the name that the request claims.
            user = caller.principal().name();
        }
        user = cut(user, MAX_USER);
        address = cut(address, MAX_ADDRESS);
    }

    /** An author that is known only by the request's own claims. */
    public Author(@Nullable String user, @Nullable String address) {
        this(user, address, null);
    }

    /** @throws io.cairn.server.auth.DeniedException if the caller is known and may not change the configuration */
    public void mustMayWrite(ConfigKey key) {
        if (caller != null) {
            caller.mustMayWrite(key);
        }
    }

    /** Whether the caller may read the configuration; true if no caller is known. */
    public boolean mayRead(ConfigKey key) {
        return caller == null || caller.principal().mayRead(key);
    }

    /** Whether the caller may do everything; true if no caller is known. */
    public boolean mayDoEverything() {
        return caller == null || caller.principal().isAdmin();
    }

    private static @Nullable String cut(@Nullable String text, int maxLength) {
        return text == null || text.length() <= maxLength ? text : text.substring(0, maxLength);
    }
}
