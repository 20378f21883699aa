package io.cairn.server.tls;

/**
 * The username in a client's certificate. The user need not exist.
 *
 * @param validUntilMillis the end of the certificate's validity, in epoch milliseconds
 */
public record CertifiedUser(String username, long validUntilMillis) {}
