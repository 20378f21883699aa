package io.cairn.server.limit;

import java.util.List;

/**
 * All limits of a server.
 *
 * @param connections over both ports
 * @param longConnections that are set up over gRPC
 * @param connectionsPerAddress over both ports
 * @param requestsPerSecond of one caller
 * @param watchesPerConnection configurations listened to and services subscribed to
 * @param instancesPerClient registered over one connection
 * @param bodyBytes of one HTTP request
 * @param headBytes of the request line and the headers of one HTTP request
 * @param messageBytes of one gRPC message
 * @param headSeconds from the beginning of a TLS handshake, of a connection of HTTP/2 or of the head of a request to its end
 * @param answerSeconds in which a megabyte of a large answer over HTTP is read
 * @param unreadAnswerBytes of all large answers over HTTP that nobody has read yet
 * @param openFiles of the process, of which each connection is one; the operating system holds it
 */
public record ServerLimits(
        Limit connections,
        Limit longConnections,
        Limit connectionsPerAddress,
        Limit requestsPerSecond,
        Limit watchesPerConnection,
        Limit instancesPerClient,
        Limit bodyBytes,
        Limit headBytes,
        Limit messageBytes,
        Limit headSeconds,
        Limit answerSeconds,
        Limit unreadAnswerBytes,
        Limit openFiles) {

    public List<Limit> all() {
        return List.of(
                connections,
                longConnections,
                connectionsPerAddress,
                requestsPerSecond,
                watchesPerConnection,
                instancesPerClient,
                bodyBytes,
                headBytes,
                messageBytes,
                headSeconds,
                answerSeconds,
                unreadAnswerBytes,
                openFiles);
    }
}
