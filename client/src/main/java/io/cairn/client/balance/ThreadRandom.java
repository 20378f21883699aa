package io.cairn.client.balance;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

enum ThreadRandom implements RandomGenerator {
    INSTANCE;

    @Override
    public long nextLong() {
        return ThreadLocalRandom.current().nextLong();
    }
}
