package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.cairn.api.error.CairnException;
import io.cairn.server.backup.BackupService;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that are files, on their way in and out. */
class HttpFilesTest {

    @TempDir
    Path folder;

    @Test
    void aFileThatNobodyWantsAnyMoreIsNotMadeAgain() throws Exception {
        Path file = Files.createFile(folder.resolve("gone.zip"));
        Upload upload = new Upload(Runnable::run, new Nobody());
        CompletableFuture<Void> done = upload.into(file, Runnable::run);
        Files.delete(file);

        upload.take(Unpooled.wrappedBuffer(new byte[10]), false);

        assertThat(done).isCompletedExceptionally();
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileThatCannotBeReadNowFailsInsteadOfThrowing() throws Exception {
        Path file = Files.writeString(folder.resolve("waits.zip"), "content");
        FileBody body = new FileBody(
                file,
                7,
                task -> {
                    throw new RejectedExecutionException("full");
                },
                () -> {});

        CompletableFuture<byte[]> piece = body.next().toCompletableFuture();

        assertThatThrownBy(piece::join).hasCauseInstanceOf(CairnException.class).hasMessageContaining("Too many files");
    }

    @Test
    void whoClosesAFileDoesNotWaitForWhoReadsIt() throws Exception {
        Path pipe = folder.resolve("slow.zip");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        ExecutorService disk = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Thread> closedOn = new CompletableFuture<>();
            FileBody body = new FileBody(pipe, 1, disk, () -> closedOn.complete(Thread.currentThread()));
            // Nobody writes to the pipe: the disk stands still.
            CompletableFuture<byte[]> piece = body.next().toCompletableFuture();

            assertTimeoutPreemptively(Duration.ofSeconds(60), body::close);

            assertThat(closedOn).isNotDone();
            Files.writeString(pipe, "x");
            assertThat(piece.get(60, TimeUnit.SECONDS)).isEqualTo(new byte[] {'x'});
            assertThat(closedOn.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
            assertThat(body.next().toCompletableFuture().join()).isNull();
        } finally {
            disk.shutdownNow();
        }
    }

    @Test
    void aFileIsLetGoWhenNoThreadIsLeftForIt() throws Exception {
        Path file = Files.writeString(folder.resolve("last.zip"), "content");
        FileBody body = new FileBody(
                file,
                7,
                task -> {
                    throw new RejectedExecutionException("ended");
                },
                () -> BackupService.forget(file));

        body.close();
        body.close();

        assertThat(file).doesNotExist();
    }

    private static final class Nobody implements Upload.Sender {

        @Override
        public void begin() {}

        @Override
        public void goOn() {}

        @Override
        public void pause() {}

        @Override
        public void written(int bytes) {}
    }
}
