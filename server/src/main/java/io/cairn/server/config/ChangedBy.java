package io.cairn.server.config;

import org.jspecify.annotations.Nullable;

/**
 * Who ordered a change: a user, where known, and the address it came from. Both are what somebody says of himself, so
 * they are cut to what their columns hold.
 */
public record ChangedBy(@Nullable String user, @Nullable String address) {

    private static final int MAX_USER = 128;
    private static final int MAX_ADDRESS = 50;

    public ChangedBy {
        user = cut(user, MAX_USER);
        address = cut(address, MAX_ADDRESS);
    }

    private static @Nullable String cut(@Nullable String text, int maxLength) {
        return text == null || text.length() <= maxLength ? text : text.substring(0, maxLength);
    }
}
