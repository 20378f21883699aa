package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The way of Nacos, for programs that change their own password. */
@Tag("full")
class OwnPasswordIT {

    @RegisterExtension
    static final InspectableServer cairn =
            AuthenticatedServer.open().with("cairn.auth.require-current-password", "false");

    @Test
    void aUserSetsItsPasswordWithoutThePresentOne() {
        AuthenticatedServer server = new AuthenticatedServer(cairn);
        String admin = server.token("nacos", server.adminPassword());
        String ida = server.userWith(admin, "ida", "*:*:*", "rw");

        assertThat(server.call(ida, "PUT", "/v1/auth/users", "username", "ida", "newPassword", "another")
                        .statusCode())
                .isEqualTo(200);
        assertThat(server.login("ida", "another").statusCode()).isEqualTo(200);
    }
}
