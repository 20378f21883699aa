package io.cairn.server.storage;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps the writer busy, so that what is submitted meanwhile becomes one group. */
record Holding(CountDownLatch started, CountDownLatch until) implements StoreCommand<Boolean> {

    @Override
    public Boolean execute(WriteTransaction transaction) {
        started.countDown();
        try {
            return until.await(60, TimeUnit.SECONDS);
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
