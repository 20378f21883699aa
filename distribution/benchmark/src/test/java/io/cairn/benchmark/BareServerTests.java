package io.cairn.benchmark;

import io.cairn.benchmark.bare.BareServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests against a bare server in this process, one for each class. */
abstract class BareServerTests {

    static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

    static BareServer bare;

    @BeforeAll
    static void startServer() throws IOException {
        bare = BareServer.start(0, 2);
    }

    @AfterAll
    static void stopServer() {
        bare.close();
    }

    static Run run(String... arguments) {
        return Run.against(bare.httpPort(), arguments);
    }
}
