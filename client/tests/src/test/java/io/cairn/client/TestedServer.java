package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The server that the tests of a class speak to: one of this build, or any other Cairn or Nacos with
 * {@code -Dcairn.test.server=host:port} (and {@code -Dcairn.test.username}, {@code -Dcairn.test.password} where it asks
 * for them). Such a server keeps what earlier runs left there, so tests take their names from {@link #unique}.
 */
final class TestedServer implements BeforeAllCallback, AfterAllCallback {

    private static final String RUN = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);

    private final @Nullable String elsewhere = System.getProperty("cairn.test.server");
    private @Nullable CairnServer own;

    @Override
    public void beforeAll(ExtensionContext context) {
        if (elsewhere == null) {
            own = CairnServer.builder().temporary().start();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (own != null) {
            own.close();
        }
    }

    String address() {
        return own == null ? String.valueOf(elsewhere) : own.address();
    }

    /** Whether it is of this build, and so knows what only newer servers do. */
    boolean isOwn() {
        return elsewhere == null;
    }

    /** Holds at once on a server of this build, whose reads show each write; a Nacos server has a moment for it. */
    void shows(Runnable assertion) {
        if (isOwn()) {
            assertion.run();
        } else {
            await().untilAsserted(assertion::run);
        }
    }

    /** A name that no earlier run used. */
    String unique(String name) {
        return RUN + '-' + name;
    }

    ClientBuilder builder() {
        ClientBuilder builder = CairnClient.builder()
                .servers(address())
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
        String user = System.getProperty("cairn.test.username");
        return user == null ? builder : builder.credentials(user, System.getProperty("cairn.test.password", ""));
    }

    CairnClient newClient() {
        return builder().build();
    }
}
