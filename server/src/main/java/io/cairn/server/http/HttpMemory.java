package io.cairn.server.http;

import io.cairn.server.connection.MemoryBudget;
import io.cairn.server.limit.Limit;

/**
 * What the requests and answers of HTTP may keep in memory, and for how long.
 *
 * @param requests of bodies on their way in
 * @param answers of large answers that nobody has read yet
 * @param maxBodyBytes of one request
 * @param patienceSeconds for which a body may stand still, a little more for each of its bytes
 * @param headSeconds that the head of a request may take
 */
record HttpMemory(
        MemoryBudget requests, MemoryBudget answers, int maxBodyBytes, int patienceSeconds, Limit headSeconds) {

    private static final int MAX_PATIENCE_SECONDS = 30;
    private static final int SLOWEST_BYTES_PER_SECOND = 64 * 1024;

    static final String TOO_MANY_UNREAD = "Too many large answers are waiting to be read; try again shortly";

    static HttpMemory of(HttpServer.Settings settings, MemoryBudget requests) {
        return new HttpMemory(
                requests,
                new MemoryBudget(Runtime.getRuntime().maxMemory() / 4, 1),
                settings.maxBodyBytes(),
                Math.min(MAX_PATIENCE_SECONDS, settings.idleSeconds()),
                settings.headSeconds());
    }

    /** Seconds within which a body of that length has to be there. */
    int secondsFor(int bytes) {
        return patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND;
    }
}
