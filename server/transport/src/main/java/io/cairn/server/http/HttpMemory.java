package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.ServerLimits;

/**
 * The limits of the memory that requests and answers of HTTP take, and of the time for which they take it.
 *
 * @param requests of bodies on their way in
 * @param answers of large answers that nobody has read yet
 * @param maxBodyBytes of one request
 * @param patienceSeconds for which a body may stand still, a little more for each of its bytes
 * @param limits what a client may take
 */
record HttpMemory(
        MemoryBudget requests, MemoryBudget answers, int maxBodyBytes, int patienceSeconds, ServerLimits limits) {

    private static final int SLOWEST_BYTES_PER_SECOND = 64 * 1024;

    static HttpMemory of(HttpServer.Settings settings, MemoryBudget requests) {
        Limit unread = settings.limits().unreadAnswerBytes();
        MemoryBudget answers = new MemoryBudget(unread.max(), 1);
        unread.measuredBy(answers::takenBytes);
        return new HttpMemory(
                requests,
                answers,
                settings.maxBodyBytes(),
                Math.min(settings.maxPatienceSeconds(), settings.idleSeconds()),
                settings.limits());
    }

    /** Bytes that the request line and the headers of one request may have together. */
    int maxHeadBytes() {
        return Math.toIntExact(limits.headBytes().max());
    }

    /** Counts a head that is too long, and returns what its client is told. */
    String headTooLong() {
        Limit head = limits.headBytes();
        head.allows(head.max() + 1);
        return "The request line and the headers are longer than " + head.max() + " bytes (limit " + head.name() + ", "
                + head.setting() + "); send what is long in the body";
    }

    /** Gives back what {@link #takeHead} has taken, if anything. */
    void releaseHead(int taken) {
        if (taken > 0) {
            requests.release(taken);
        }
    }

    /**
     * Takes room for a head of more than {@link MemoryBudget#SMALL_BYTES}, for as much as it may become.
     *
     * @param bytes that have come
     * @return what to {@linkplain #releaseHead give back}; 0 when there is no room now
     */
    int takeHead(int bytes) {
        limits.headBytes().allows(bytes);
        return requests.take(maxHeadBytes()) ? maxHeadBytes() : 0;
    }

    /** Counts a large answer for which there is no room, and returns what its client is told. */
    String tooManyUnread(HttpResponse refused) {
        Limit unread = limits.unreadAnswerBytes();
        unread.allows(unread.max() + 1);
        return unread.text(answers.takenBytes() + refused.body().length)
                + ": too many large answers wait to be read; try again shortly";
    }

    SlowReaderTimeout pace() {
        return new SlowReaderTimeout(limits.answerSeconds(), patienceSeconds);
    }

    /** Seconds within which a body of that length has to be there. */
    int secondsFor(int bytes) {
        return patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND;
    }
}
