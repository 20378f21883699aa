package io.cairn.server.subscription.fuzzy;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushQueue;
import io.netty.util.HashedWheelTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A connection whose messages a test reads and acknowledges one by one, or that handles its messages by itself. */
final class TestWatcher implements ClientConnection.Transport, ClientConnection.Environment, AutoCloseable {

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Deque<String> messages = new ArrayDeque<>();
    private final Map<String, Deque<String>> ids = new LinkedHashMap<>();
    private final Set<String> known = new TreeSet<>();
    private final Set<String> gone = new TreeSet<>();
    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final ClientConnection connection =
            new ClientConnection("test", new ClientIdentity("127.0.0.1", "", "", Map.of()), this, this);
    private @Nullable ExecutorService thread;
    private @Nullable PushQueue queue;
    private String last = "";

    ClientConnection connection() {
        return connection;
    }

    /** From now on it records and acknowledges every message on its own thread. */
    void runByItself() {
        thread = Executors.newSingleThreadExecutor();
    }

    /** Waits until that thread has finished its tasks so far. */
    void settle() {
        CompletableFuture.runAsync(() -> {}, loop()).join();
    }

    /** The next message; empty if there is none. */
    String next() {
        run();
        last = messages.isEmpty() ? "" : messages.poll();
        return last;
    }

    boolean isIdle() {
        run();
        return messages.isEmpty();
    }

    /** Number of messages that are pending or unacknowledged. */
    int unanswered() {
        run();
        PushQueue present = queue;
        return present == null ? 0 : present.size();
    }

    private void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Acknowledges the message that was read last. */
    void acknowledge() {
        acknowledge(last);
    }

    void acknowledge(String message) {
        run();
        Deque<String> sent = ids.getOrDefault(message, new ArrayDeque<>());
        assertThat(sent).as("a message that was sent: " + message).isNotEmpty();
        connection.answered(sent.remove(), "TestResponse", true);
    }

    /** Reads and acknowledges all messages. */
    void takeAll() {
        for (String message = next(); !message.isEmpty(); message = next()) {
            note(message);
            acknowledge();
        }
    }

    private synchronized void note(String message) {
        for (String word : message.split(" ")) {
            if (word.startsWith("+")) {
                known.add(word.substring(1));
                gone.remove(word.substring(1));
            } else if (word.startsWith("-")) {
                known.remove(word.substring(1));
                gone.add(word.substring(1));
            }
        }
    }

    /** The names that a client knows after all recorded messages. */
    synchronized Set<String> known() {
        return new TreeSet<>(known);
    }

    /** The names that the recorded messages have removed. */
    synchronized Set<String> toldGone() {
        return new TreeSet<>(gone);
    }

    @Override
    public Executor loop() {
        Executor own = thread;
        return own != null ? own : tasks::add;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void send(Payload payload) {
        String text = payload.bodyText();
        ExecutorService own = thread;
        if (own == null) {
            messages.add(text);
            ids.computeIfAbsent(text, first -> new ArrayDeque<>()).add(payload.type());
        } else {
            note(text);
            own.execute(() -> connection.answered(payload.type(), "TestResponse", true));
        }
    }

    @Override
    public void close(boolean stopping) {}

    @Override
    public PushQueue newPushQueue(ClientConnection receiver) {
        PushQueue made = new PushQueue(receiver, 1_000, new PushBudget(1 << 20), timer);
        queue = made;
        return made;
    }

    @Override
    public void dropped(ClientConnection receiver, String reason) {
        throw new AssertionError("given up: " + reason);
    }

    @Override
    public void close() {
        timer.stop();
        if (thread != null) {
            thread.shutdown();
        }
    }
}
