package io.cairn.server.wiring.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class PortCheckTest {

    private final Map<String, Object> settings = new HashMap<>();
    private ServerSocket taken;

    @BeforeEach
    void takeAPort() throws IOException {
        taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        settings.put("nacos.standalone", "false");
        settings.put("nacos.inetutils.ip-address", "127.0.0.1");
        settings.put("cairn.cluster.port", taken.getLocalPort());
        // The ports for clients are not checked.
        settings.put("server.port", "0");
    }

    @AfterEach
    void free() throws IOException {
        taken.close();
    }

    private void check() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", settings));
        PortCheck.requireFree(environment);
    }

    private void assertRefused(ErrorCode code, String... parts) {
        assertThatThrownBy(this::check)
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(parts)
                .hasMessageNotContaining("\n");
    }

    @Test
    void takenGroupPortIsNamed() {
        assertRefused(
                ErrorCode.UNAVAILABLE,
                "The group port 127.0.0.1:" + taken.getLocalPort() + " cannot be bound",
                "cairn.cluster.port");
    }

    @Test
    void takenGroupPortOfTheAddressToBindIsNamed() {
        settings.put("nacos.inetutils.ip-address", "203.0.113.7");
        settings.put("cairn.cluster.bind-address", "127.0.0.1");

        assertRefused(ErrorCode.UNAVAILABLE, "The group port 127.0.0.1:" + taken.getLocalPort());
    }

    @Test
    void reportsAnAddressOfAnotherMachine() {
        settings.put("nacos.inetutils.ip-address", "203.0.113.7");

        assertRefused(ErrorCode.INVALID_PARAMETER, "203.0.113.7", "cairn.cluster.bind-address");
    }

    @Test
    void samePortOfAnotherAddressIsFree() {
        settings.put("nacos.inetutils.ip-address", "127.0.0.2");

        assertThatCode(this::check).doesNotThrowAnyException();
    }

    @Test
    void singleServerHasNoGroupPort() {
        settings.put("nacos.standalone", "true");

        assertThatCode(this::check).doesNotThrowAnyException();
    }
}
