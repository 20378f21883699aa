package io.cairn.server.http;

import io.cairn.server.connection.MemoryBudget;

/**
 * What the requests and answers of HTTP may keep in memory.
 *
 * @param requests of bodies on their way in
 * @param answers of large answers that nobody has read yet
 * @param maxBodyBytes of one request
 * @param patienceSeconds for which a large body may stand still, a little more for each of its bytes
 */
record HttpMemory(MemoryBudget requests, MemoryBudget answers, int maxBodyBytes, int patienceSeconds) {

    private static final int MAX_PATIENCE_SECONDS = 30;
    private static final int SLOWEST_BYTES_PER_SECOND = 64 * 1024;

    static final String TOO_MANY_UNREAD = "Too many large answers are waiting to be read; try again shortly";

    static HttpMemory of(HttpServer.Settings settings, MemoryBudget requests) {
        return new HttpMemory(
                requests,
                new MemoryBudget(Runtime.getRuntime().maxMemory() / 4, 1),
                settings.maxBodyBytes(),
                Math.min(MAX_PATIENCE_SECONDS, settings.idleSeconds()));
    }

    /** Seconds within which a body of that length has to be there. */
    int secondsFor(int bytes) {
        return patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND;
    }
}
