package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;

/**
 * Who ordered something, as far as the server knows by itself.
 *
 * @param address where the request came from: the socket's address, or what a trusted proxy says of it
 */
public record Caller(Principal principal, String address) {

    /** @throws DeniedException when he may not change the configuration */
    public void mustMayWrite(ConfigKey key) {
        if (!principal.mayWrite(key)) {
            throw new DeniedException(key.toString());
        }
    }

    /** The server, out of itself. */
    public static final Caller SERVER =
            new Caller(new Principal("server", Principal.Kind.UNCHECKED, true, java.util.List.of()), "");
}
