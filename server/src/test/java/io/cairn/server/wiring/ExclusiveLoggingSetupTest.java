package io.cairn.server.wiring;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExclusiveLoggingSetupTest {

    private static final int SERVERS = 4;
    private static final int ROUNDS = 25;

    @TempDir
    Path home;

    /** The context that closes last marks Logback as not configured, so each round configures it again. */
    @Test
    void severalServersOfOneJvmConfigureLoggingAtOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(SERVERS);
        Callable<List<String>> start = () -> {
            together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return CairnApplication.dryRun(Map.of(), List.of("--cairn.home=" + home))
                    .statements();
        };
        ExecutorService threads = Executors.newFixedThreadPool(SERVERS);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<List<String>>> starts = new ArrayList<>();
                for (int i = 0; i < SERVERS; i++) {
                    starts.add(threads.submit(start));
                }
                for (Future<List<String>> each : starts) {
                    assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
