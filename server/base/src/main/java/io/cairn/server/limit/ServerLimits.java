package io.cairn.server.limit;

import java.util.List;

/**
 * All limits of a server.
 *
 * @param longConnections set up over gRPC
 * @param requestsPerSecond of one caller
 * @param watchesPerConnection listened configurations and subscribed services
 * @param instancesPerClient registered over one connection
 * @param bodyBytes of one HTTP request
 * @param headBytes request line and headers
 * @param messageBytes of one gRPC message
 * @param headSeconds for a TLS handshake, the opening of HTTP/2, or the head of a request
 * @param answerSeconds for each megabyte of a large HTTP answer
 * @param unreadAnswerBytes all large answers, from creation until they are read
 * @param meshClusters for a mesh client that requests its whole namespace; the rest is left out
 * @param openFiles of the process, connections included; enforced by the operating system
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
        Limit meshClusters,
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
                meshClusters,
                openFiles);
    }
}
