package io.cairn.server.storage.writer;

import static io.cairn.testing.Patience.PATIENCE;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps the writer busy, so that what is submitted meanwhile becomes one group. */
public record Holding(CountDownLatch started, CountDownLatch until) implements StoreCommand<Boolean> {

    @Override
    public Boolean execute(WriteTransaction transaction) {
        started.countDown();
        try {
            return until.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void committed(Boolean result) {}

    @Override
    public void announce(Boolean result) {}

    @Override
    public int weightBytes() {
        return 0;
    }
}
