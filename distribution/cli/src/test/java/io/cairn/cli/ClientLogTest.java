package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientLogTest {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    @Test
    void printsEachRecordInOneLineUntilItIsClosed() {
        List<String> notices = new ArrayList<>();
        try (ClientLog log = ClientLog.to(notices::add)) {
            LOG.log(System.Logger.Level.WARNING, "The servers are {0}", "a, b");
            LOG.log(System.Logger.Level.ERROR, "A listener has failed", new IllegalStateException("why\nmore"));
        }
        LOG.log(System.Logger.Level.INFO, "after it");
        assertThat(notices)
                .containsExactly(
                        "The servers are a, b", "A listener has failed: java.lang.IllegalStateException: why more");
    }
}
