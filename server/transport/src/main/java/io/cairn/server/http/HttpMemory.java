package io.cairn.server.http;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.ServerLimits;
import io.netty.util.concurrent.EventExecutor;

/**
 * The limits of memory and time for requests and responses.
 *
 * @param requests of request bodies
 * @param maxBodyBytes of one request
 * @param patienceSeconds the limit without progress; longer for large bodies
 */
record HttpMemory(
        MemoryBudget requests, AnswerMemory answers, int maxBodyBytes, int patienceSeconds, ServerLimits limits) {

    private static final int SLOWEST_BYTES_PER_SECOND = 64 * 1024;

    static HttpMemory of(HttpServer.Settings settings, MemoryBudget requests, AnswerMemory answers) {
        return new HttpMemory(
                requests,
                answers,
                settings.maxBodyBytes(),
                Math.min(settings.maxPatienceSeconds(), settings.idleSeconds()),
                settings.limits());
    }

    /** The limit for the request line and the headers together, in bytes. */
    int maxHeadBytes() {
        return Math.toIntExact(limits.headBytes().max());
    }

    /** Counts a head that is too long, and returns the message for its client. */
    String headTooLong() {
        Limit head = limits.headBytes();
        head.allows(head.max() + 1);
        return "The request line and the headers are longer than " + head.max() + " bytes (limit " + head.name() + ", "
                + head.setting() + "); send what is long in the body";
    }

    /** Releases the result of {@link #reserveHead}. */
    void releaseHead(int taken) {
        if (taken > 0) {
            requests.release(taken);
        }
    }

    /**
     * Reserves the memory for a head of more than {@link MemoryBudget#SMALL_BYTES}, up to the limit.
     *
     * @param bytes received
     * @return the bytes to {@linkplain #releaseHead release}; 0 when they are not available
     */
    int reserveHead(int bytes) {
        limits.headBytes().allows(bytes);
        return requests.tryReserve(maxHeadBytes()) ? maxHeadBytes() : 0;
    }

    SlowReaderTimeout slowReaderTimeout(EventExecutor loop, Runnable tooSlow) {
        return new SlowReaderTimeout(limits.answerSeconds(), patienceSeconds, loop, tooSlow);
    }

    /** The limit for receiving a body of this length, in seconds. */
    int secondsFor(int bytes) {
        return patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND;
    }
}
