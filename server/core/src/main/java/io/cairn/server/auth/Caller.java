package io.cairn.server.auth;

import io.cairn.api.config.ConfigKey;

/**
 * The caller that ordered an action, as far as the server itself knows it.
 *
 * @param address where the request came from: the socket's address, or the address that a trusted proxy names
 */
public record Caller(Principal principal, String address) {

    /** @throws DeniedException if the caller may not change the configuration */
    public void mustMayWrite(ConfigKey key) {
        if (!principal.mayWrite(key)) {
            throw new DeniedException(key.toString());
        }
    }

    /** The server itself, for actions that no request has ordered. */
    public static final Caller SERVER =
            new Caller(new Principal("server", Principal.Kind.UNCHECKED, true, java.util.List.of()), "");
}
