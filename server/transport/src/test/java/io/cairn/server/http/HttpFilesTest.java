package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that are files, on their way in and out. */
class HttpFilesTest {

    @TempDir
    Path folder;

    @Test
    void anUploadDoesNotRecreateADeletedFile() throws Exception {
        Path file = Files.createFile(folder.resolve("gone.zip"));
        Upload upload = new Upload(Runnable::run, new Nobody());
        CompletableFuture<Void> done = upload.into(file, Runnable::run);
        Files.delete(file);

        upload.append(Unpooled.wrappedBuffer(new byte[10]), false);

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
    void releasesAFileWhenNoThreadIsFree() throws Exception {
        Path file = Files.writeString(folder.resolve("last.zip"), "content");
        FileBody body = new FileBody(
                file,
                7,
                task -> {
                    throw new RejectedExecutionException("ended");
                },
                () -> assertThat(file.toFile().delete()).isTrue());

        body.close();
        body.close();

        assertThat(file).doesNotExist();
    }

    private static final class Nobody implements Upload.Sender {

        @Override
        public void begin() {}

        @Override
        public void resume() {}

        @Override
        public void pause() {}

        @Override
        public void written(int bytes) {}
    }
}
