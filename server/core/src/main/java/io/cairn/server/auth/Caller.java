package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;

/**
 * The caller of an action as verified by the server.
 *
 * @param address of the socket, or as reported by a trusted proxy
 */
public record Caller(Principal principal, String address) {

    /** @throws DeniedException if the caller may not change the configuration */
    public void mustMayWrite(ConfigKey key) {
        if (!principal.mayWrite(key)) {
            throw new DeniedException(key.toString());
        }
    }

    /** For actions without a request. */
    public static final Caller SERVER =
            new Caller(new Principal("server", Principal.Kind.UNCHECKED, true, java.util.List.of()), "");
}
