package io.cairn.server.auth;

/**
 * A user whom a client's certificate names, whether there is one of that name or not.
 *
 * @param validUntilMillis when the certificate ends, in epoch milliseconds
 */
public record CertifiedUser(String username, long validUntilMillis) {}
