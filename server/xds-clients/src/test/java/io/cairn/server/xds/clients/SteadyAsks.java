package io.cairn.server.xds.clients;

import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** 200 calls a second through a channel, at most. */
final class SteadyAsks implements AutoCloseable {

    private final ScheduledExecutorService caller = Executors.newSingleThreadScheduledExecutor();
    private final Map<Integer, Integer> answers = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    SteadyAsks(Channel channel) {
        caller.scheduleWithFixedDelay(() -> ask(channel), 0, 5, TimeUnit.MILLISECONDS);
    }

    private void ask(Channel channel) {
        try {
            answers.merge(GrpcBackend.ask(channel), 1, Integer::sum);
        } catch (StatusRuntimeException e) {
            failures.add(e.getMessage());
        }
        calls.incrementAndGet();
    }

    void awaitCalls(int more) {
        int least = calls.get() + more;
        await().until(() -> calls.get() >= least);
    }

    void awaitAnswersOf(int port) {
        int before = answersOf(port);
        await().until(() -> answersOf(port) > before);
    }

    int answersOf(int port) {
        return answers.getOrDefault(port, 0);
    }

    List<String> failures() {
        return failures;
    }

    @Override
    public void close() {
        caller.shutdownNow();
    }
}
