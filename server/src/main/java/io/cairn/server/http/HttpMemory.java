package io.cairn.server.http;

import io.cairn.server.connection.MemoryBudget;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.ServerLimits;

/**
 * What the requests and answers of HTTP may keep in memory, and for how long.
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

    /** Counts a large answer for which there is no room, and returns what its client is told. */
    String tooManyUnread(HttpAnswer refused) {
        Limit unread = limits.unreadAnswerBytes();
        unread.allows(unread.max() + 1);
        return unread.text(answers.takenBytes() + refused.body().length)
                + ": too many large answers wait to be read; try again shortly";
    }

    AnswerPace pace() {
        return new AnswerPace(limits.answerSeconds(), patienceSeconds);
    }

    /** Seconds within which a body of that length has to be there. */
    int secondsFor(int bytes) {
        return patienceSeconds + bytes / SLOWEST_BYTES_PER_SECOND;
    }
}
