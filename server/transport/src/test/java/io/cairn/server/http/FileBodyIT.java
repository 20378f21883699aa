package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A named pipe stands for a slow disk; another process makes it, for Java cannot. */
class FileBodyIT {

    @TempDir
    Path folder;

    @Test
    void closingAFileDoesNotWaitForItsReader() throws Exception {
        Path pipe = folder.resolve("slow.zip");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        ExecutorService disk = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Thread> closedOn = new CompletableFuture<>();
            FileBody body = new FileBody(pipe, 1, disk, () -> closedOn.complete(Thread.currentThread()));
            // Nobody writes to the pipe: the disk stands still.
            CompletableFuture<byte[]> piece = body.next().toCompletableFuture();

            assertTimeoutPreemptively(PATIENCE, body::close);

            assertThat(closedOn).isNotDone();
            Files.writeString(pipe, "x");
            assertThat(piece.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new byte[] {'x'});
            assertThat(closedOn.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
            assertThat(body.next().toCompletableFuture().join()).isNull();
        } finally {
            disk.shutdownNow();
        }
    }
}
