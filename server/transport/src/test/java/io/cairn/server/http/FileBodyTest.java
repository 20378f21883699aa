package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FileBodyTest {

    private static final Path FILE = Path.of("no-such-file");

    private final AtomicInteger released = new AtomicInteger();

    @Test
    void releasesTheFileWhenItIsClosedWhileAPieceIsRejected() {
        AtomicReference<FileBody> body = new AtomicReference<>();
        body.set(new FileBody(
                FILE,
                1,
                task -> {
                    // As if another thread closed it before the full pool has answered.
                    body.get().close();
                    throw new RejectedExecutionException("full");
                },
                released::incrementAndGet));

        assertThat(body.get().next()).isCompletedExceptionally();

        assertThat(released).hasValue(1);
    }

    @Test
    void releasesTheFileOnceWhenItIsClosedWhileAPieceIsRead() {
        Queue<Runnable> pool = new ArrayDeque<>();
        FileBody body = new FileBody(FILE, 1, pool::add, released::incrementAndGet);
        body.next();

        body.close();
        assertThat(released).as("before the piece was read").hasValue(0);
        while (!pool.isEmpty()) {
            pool.remove().run();
        }
        body.close();

        assertThat(released).hasValue(1);
        assertThat(body.next()).isCompletedWithValue(null);
    }
}
