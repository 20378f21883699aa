package io.cairn.server.wiring.lifecycle;

import io.cairn.server.wiring.settings.CairnProperties;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Small bounded pools for blocking or long work; idle threads end. A full one refuses. */
public final class WorkPools implements AutoCloseable {

    private static final int LOGINS_WAITING = 200;
    private static final int LARGE_MESSAGES_WAITING = 64;
    private static final int VALIDATIONS_WAITING = 1_000;
    private static final int QUERY_THREADS = 2;
    private static final int QUERIES_WAITING = 1_000;
    private static final int ENDPOINT_CALLS_WAITING = 1_000;
    /** Each file has one piece under way. */
    private static final int FILES_WAITING = 1_000;
    /** All clients may come at once after a restart; their state is kept anyway. */
    private static final int PATTERNS_WAITING = 100_000;

    private static final int LATE_LISTENERS_WAITING = 100_000;

    private static final int QUESTIONS_WAITING = 1_000;
    /** One write takes all waiting events; the others are searches. */
    private static final int EVENT_WRITES_WAITING = 100;

    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor queries;
    private final ThreadPoolExecutor largeMessages;
    private final ThreadPoolExecutor endpoints;
    private final ThreadPoolExecutor files;
    private final ThreadPoolExecutor logins;
    private final ThreadPoolExecutor validations;
    private final ThreadPoolExecutor patterns;
    private final ThreadPoolExecutor lateListeners;
    private final ThreadPoolExecutor questions;
    private final ThreadPoolExecutor clientEvents;

    public WorkPools(CairnProperties.Store store) {
        reads = pool("cairn-store-read", store.readThreads(), store.readQueue());
        queries = pool("cairn-query", QUERY_THREADS, QUERIES_WAITING);
        largeMessages = pool("cairn-large", 2, LARGE_MESSAGES_WAITING);
        logins = pool("cairn-login", 2, LOGINS_WAITING);
        validations = pool("cairn-validate", 2, VALIDATIONS_WAITING);
        endpoints = pool("cairn-endpoint", 2, ENDPOINT_CALLS_WAITING);
        files = pool("cairn-file", 2, FILES_WAITING);
        patterns = pool("cairn-pattern", 1, PATTERNS_WAITING);
        lateListeners = pool("cairn-late", 1, LATE_LISTENERS_WAITING);
        questions = pool("cairn-question", 2, QUESTIONS_WAITING);
        clientEvents = pool("cairn-events", 1, EVENT_WRITES_WAITING);
    }

    private static ThreadPoolExecutor pool(String name, int threads, int queue) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(queue),
                new DefaultThreadFactory(name, true));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    public ExecutorService reads() {
        return reads;
    }

    public ExecutorService queries() {
        return queries;
    }

    /** Decodes messages too large for an event loop, and compresses large answers. */
    public ExecutorService largeMessages() {
        return largeMessages;
    }

    public ExecutorService validations() {
        return validations;
    }

    public ExecutorService endpoints() {
        return endpoints;
    }

    /** Reads and writes clients' files, piece by piece. A slow disk delays no other pool, above all not health checks. */
    public ExecutorService files() {
        return files;
    }

    public ExecutorService patterns() {
        return patterns;
    }

    /** Searches the listeners of a change that have not followed it. */
    public ExecutorService lateListeners() {
        return lateListeners;
    }

    /** Answers the questions of other nodes, and handles their answers. Unused on a single server. */
    public ExecutorService questions() {
        return questions;
    }

    /** Writes the events of clients, and searches them. */
    public ExecutorService clientEvents() {
        return clientEvents;
    }

    public ExecutorService logins() {
        return logins;
    }

    @Override
    public void close() {
        logins.shutdown();
        reads.shutdown();
        queries.shutdown();
        largeMessages.shutdown();
        validations.shutdown();
        endpoints.shutdown();
        files.shutdown();
        patterns.shutdown();
        lateListeners.shutdown();
        questions.shutdown();
        clientEvents.shutdown();
    }
}
