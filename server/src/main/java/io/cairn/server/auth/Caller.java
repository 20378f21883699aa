package io.cairn.server.auth;

/**
 * Who ordered something, as far as the server knows by itself.
 *
 * @param address where the request came from: the socket's address, or what a trusted proxy says of it
 */
public record Caller(Principal principal, String address) {

    /** The server, out of itself. */
    public static final Caller SERVER =
            new Caller(new Principal("server", Principal.Kind.UNCHECKED, true, java.util.List.of()), "");
}
